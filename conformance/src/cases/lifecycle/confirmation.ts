import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, onPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, never, point } from '../../scenario/pool.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

const ownPools = mustEach({
  'L12/point-outlives: a Confirmed transaction keeps its block after the block cannot be undone': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 12);
    await pool.assertStatus(hash, { confirmedAt: point(1), confirmations: 12 });
  },
});

const inFlight = eachOnPoolInFlight({
  'L5/seen-wins: a hash in both lists counts as seen': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.block(1, { seen: [hash], unseen: [hash] });
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
});

export const confirmationCases: readonly ConformanceCase[] = [...ownPools, ...inFlight];

const fields = ['finalizeThreshold', 'dropThreshold'] as const;

const ownPoolsBelowOne = mustEach({
  'L6/options-below-one: thresholds of open below 1 are refused': async (context) => {
    for (const field of fields) {
      await refuses(context.openOther({ [field]: field === 'dropThreshold' ? 0 : -1 }), 'ERR_MEMPOOL_INVALID', {
        field,
      });
    }
  },
});

/** Nothing can be final or stale without a block, so 0 is refused: "never" is `Infinity`. */
const belowOne: readonly ConformanceCase[] = [
  ...fields.map((field) =>
    onPool(
      field === 'dropThreshold' ? 'L6/drop-below-one' : 'L6/finalize-below-one',
      `a ${field} below 1 is refused, and the block is not applied`,
      async (pool) => {
        await pool.propagateOne();
        const before = await pool.snapshot();
        for (const value of [0, -3]) {
          const error = await rejection(pool.block(1, {}, { [field]: value }));
          assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
          assert.deepEqual([error.details.field, await pool.snapshot()], [field, before]);
        }
      },
    ),
  ),
  ...ownPoolsBelowOne,
];

const thresholdOnePool = eachOnPool({
  'L6/storm: one block may finalize and drop thousands': async (pool) => {
    const seen = [await pool.receive(1_000), await pool.receive(1_000)].flatMap(hashesOf);
    for (let i = 0; i < 2; i++) await pool.mark(...hashesOf(await pool.receive(1_000)));
    await pool.block(1, { seen }, never);
    const outcome = await pool.block(2, {}, { finalizeThreshold: 2, dropThreshold: 2 });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.finalized, outcome.dropped], [2_000, 2_000]);
  },
});

const thresholdInFlight = eachOnPoolInFlight({
  'L6/drop-default: by default no number of non-confirmations drops a transaction': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 12);
    const status = await pool.status(hash);
    assert.deepEqual([status.stage, status.nonConfirmations], [stage, 12]);
  },
});

const thresholdOwnPools = mustEach({
  'L6/never-finalizes: with a threshold of Infinity nothing is finalized': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: Number.POSITIVE_INFINITY });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 30);
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
});

const thresholdOwnInFlight = eachInFlight({
  'L6/never-drops: with a threshold of Infinity nothing is dropped': async (context, stage) => {
    const pool = await openPool(context, { dropThreshold: Number.POSITIVE_INFINITY });
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 30);
    assert.deepEqual((await pool.status(hash)).nonConfirmations, 30);
  },
});

export const thresholdCases: readonly ConformanceCase[] = [
  ...thresholdOnePool,
  ...thresholdInFlight,
  ...thresholdOwnPools,
  ...thresholdOwnInFlight,
  ...belowOne,
];
