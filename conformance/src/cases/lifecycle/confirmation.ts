import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, onPool, openPool } from '../../scenario/on-pool.ts';
import { gist, hashesOf, never, point } from '../../scenario/pool.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'L5/first-confirmation: the block that carries a transaction gives it one confirmation': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 3);
    await pool.block(4, { seen: [hash] });
    assert.equal((await pool.status(hash)).confirmations, 1);
  },
  'L5/waiting-never-ages: a Pending transaction does not age, however many blocks come': async (pool) => {
    const all = await pool.receiveHashes(3);
    await pool.blocks(1, 10);
    assert.deepEqual(await pool.pending(), all);
    assert.equal((await pool.status(all[0] as string)).nonConfirmations, 0);
  },
  'L5/counts-jumps: a transaction that one block confirms and finalizes counts as both': async (pool) => {
    const all = await pool.receiveHashes(3);
    const outcome = await pool.block(1, { seen: all }, { finalizeThreshold: 1 });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [3, 3]);
  },
  'L5/counts-no-depth: a transaction Confirmed before does not count as confirmed': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    const outcome = await pool.block(2, { seen: [hash] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 0);
  },
  'L5/foreign-hashes: hashes the pool does not know count nothing and make no record': async (pool) => {
    const foreign = [pool.random.hex(32), pool.random.hex(32)] as const;
    const outcome = await pool.block(1, { seen: [foreign[0]], unseen: [foreign[1]] });
    const tip = { point: point(1), tick: 1 };
    assert.deepEqual(outcome, { kind: 'applied', tip, confirmed: 0, returned: 0, finalized: 0, dropped: 0 });
    assert.deepEqual(await pool.stages(...foreign), ['Unknown', 'Unknown']);
  },
  'L5/named-twice: a hash twice in a list counts once': async (pool) => {
    const [a, b] = await pool.receiveHashes(2);
    await pool.mark(b);
    const outcome = await pool.block(1, { seen: [a, a], unseen: [b, b] });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.returned], [1, 1]);
  },
  'L5/received-between: a transaction received after a block does not belong to it': async (pool) => {
    await pool.blocks(1, 3);
    const hash = await pool.receiveOne();
    assert.deepEqual(await pool.stages(hash), ['Pending']);
  },
});

const ownPools = mustEach({
  'L5/depth: each later block adds one confirmation': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 9);
    assert.equal((await pool.status(hash)).confirmations, 9);
  },
  'L5/seen-again: a block that names a Confirmed transaction again adds one confirmation, not two': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    for (const n of [1, 2, 3]) await pool.block(n, { seen: [hash] });
    assert.equal((await pool.status(hash)).confirmations, 3);
  },
  'L5/confirmed-at-once: confirmedAt is the first block that carried it, set once': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    for (const n of [1, 2, 3]) await pool.block(n, { seen: [hash] });
    assert.deepEqual((await pool.status(hash)).confirmedAt, point(1));
  },
  'L5/each-its-block: each transaction has the block that confirmed it, and its depth': async (context) => {
    const pool = await openPool(context, never);
    const all = await pool.receiveHashes(3);
    for (const [i, hash] of all.entries()) await pool.block(i + 1, { seen: [hash] });
    for (const [i, hash] of all.entries())
      await pool.assertStatus(hash, { confirmedAt: point(i + 1), confirmations: 3 - i });
  },
  'L5/confirmed-anew: after a return the next block that carries it is its first': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2, { unseen: [hash] });
    await pool.block(3, { seen: [hash] });
    await pool.assertStatus(hash, { confirmations: 1, confirmedAt: point(3) });
  },
  'L5/age: each block that does not carry it adds one non-confirmation': async (context) => {
    const pool = await openPool(context, never);
    const propagated = await pool.propagateOne();
    await pool.block(1);
    const acknowledged = await pool.propagateOne();
    await pool.acknowledge(acknowledged);
    await pool.blocks(2, 5);
    await pool.assertStatus(propagated, { nonConfirmations: 5 });
    await pool.assertStatus(acknowledged, { nonConfirmations: 4 });
  },
  'L5/outcome-counts: the outcome counts what the block did': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 2 });
    const [final, gone, stale, fresh] = await pool.receiveHashes(6);
    await pool.mark(gone, stale);
    await pool.block(1, { seen: [final] });
    const outcome = await pool.block(2, { seen: [fresh], unseen: [gone] });
    const tip = { point: point(2), tick: 2 };
    assert.deepEqual(outcome, { kind: 'applied', tip, confirmed: 1, returned: 1, finalized: 1, dropped: 1 });
  },
  'L5/each-its-own: one block takes each transaction one step of its own': async (context) => {
    const pool = await openPool(context, never);
    const waiting = await pool.receiveHashes(2);
    const [seen, unseen, flying] = [await pool.flyEach(), await pool.flyEach(), await pool.flyEach()];
    const deep = [await pool.receiveOne(), await pool.receiveOne()];
    await pool.block(1, { seen: deep });
    const given = { seen: [...waiting.slice(1), ...seen], unseen: [...unseen, ...deep.slice(1)] };
    await pool.block(2, given);
    const told = await pool.store.checkStatus([...waiting, ...seen, ...unseen, ...flying, ...deep]);
    assert.deepEqual(
      told.map(({ stage, confirmations, nonConfirmations }) => `${stage} ${confirmations} ${nonConfirmations}`),
      [
        ...['Pending 0 0', 'Confirmed 1 0'],
        ...['Confirmed 1 0', 'Confirmed 1 0'],
        ...['Pending 0 0', 'Pending 0 0'],
        ...['Propagated 0 2', 'Acknowledged 0 2'],
        ...['Confirmed 2 0', 'Pending 0 0'],
      ],
    );
  },
  'L12/point-outlives: a Confirmed transaction keeps its block after the block cannot be undone': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 12);
    await pool.assertStatus(hash, { confirmedAt: point(1), confirmations: 12 });
  },
  'L12/point-in-log: a log entry keeps its block after the block cannot be undone': async (context) => {
    const pool = await openPool(context, { maxRollback: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 15);
    const [entry] = (await pool.store.dumpFinalized()).entries;
    assert.deepEqual([entry?.hash, entry?.point], [hash, point(1)]);
  },
});

const inFlight = eachOnPoolInFlight({
  'L5/seen-wins: a hash in both lists counts as seen': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.block(1, { seen: [hash], unseen: [hash] });
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
});

const ownInFlight = eachInFlight({
  'L5/confirmation-clears-age: a confirmation clears the non-confirmations': async (context, stage) => {
    const pool = await openPool(context, never);
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 3);
    await pool.block(4, { seen: [hash] });
    await pool.assertStatus(hash, { confirmations: 1, nonConfirmations: 0 });
  },
});

export const confirmationCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight, ...ownInFlight];

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
  'L6/finalize-default: by default the sixth confirmation makes a transaction Finalized': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 5);
    const [fifth] = await pool.stages(hash);
    await pool.block(6);
    assert.deepEqual([fifth, ...(await pool.stages(hash))], ['Confirmed', 'Finalized']);
  },
  'L6/policy-lowers: a call with a lower threshold finalizes what is deep enough, once': async (pool) => {
    const [deep, fresh] = await pool.receiveHashes(2);
    await pool.block(1, { seen: [deep] });
    await pool.blocks(2, 3);
    await pool.block(4, { seen: [fresh] }, { finalizeThreshold: 3 });
    await pool.blocks(5, 7);
    assert.deepEqual(await pool.stages(deep, fresh), ['Finalized', 'Confirmed']);
    assert.equal((await pool.status(deep)).confirmations, 4);
  },
  'L6/policy-raises: a call with a higher threshold finalizes nothing that the pool would': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 8, { finalizeThreshold: 100 });
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
  'L6/finalize-at-one: with a threshold of 1 the block that carries it finalizes it': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] }, { finalizeThreshold: 1 });
    await pool.assertStatus(hash, { stage: 'Finalized', confirmations: 1 });
  },
  'L6/stale: a transaction that no block confirms is dropped with the reason "stale"': async (pool) => {
    const propagated = await pool.propagateOne();
    const acknowledged = await pool.propagateOne();
    await pool.acknowledge(acknowledged);
    await pool.blocks(1, 2, { dropThreshold: 2 });
    for (const hash of [propagated, acknowledged])
      await pool.assertStatus(hash, { stage: 'Dropped', reason: 'stale', nonConfirmations: 2 });
  },
  'L6/age-starts-anew: a transaction returned and marked again ages from the new mark': async (pool) => {
    const hash = await pool.propagateOne();
    await pool.block(1);
    await pool.release(hash);
    await pool.mark(hash);
    await pool.block(2);
    await pool.assertStatus(hash, { stage: 'Propagated', nonConfirmations: 1 });
  },
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
  'L6/finalize-option: open sets how many confirmations make a transaction Finalized': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 3 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2);
    const [second] = await pool.stages(hash);
    await pool.block(3);
    assert.deepEqual([second, ...(await pool.stages(hash))], ['Confirmed', 'Finalized']);
  },
  'L6/never-finalizes: with a threshold of Infinity nothing is finalized': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: Number.POSITIVE_INFINITY });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 30);
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
  'L6/both-in-one-block: one block finalizes and drops; the log has them by seq': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 2 });
    const [a, b, c, d] = await pool.receiveHashes(4);
    await pool.mark(d, b);
    await pool.block(1, { seen: [c, a] });
    const made = await pool.eventsOf(() => pool.block(2));
    const expected = [`Finalized ${a}`, `Dropped ${b}`, `Finalized ${c}`, `Dropped ${d}`];
    assert.deepEqual(made.map(gist), ['applied 2', ...expected]);
    assert.deepEqual(
      (await pool.logEntries()).map(({ stage, hash }) => `${stage} ${hash}`),
      expected,
    );
  },
  'L6/counters-frozen: the counters of a Finalized transaction do not grow': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 9);
    await pool.assertStatus(hash, { stage: 'Finalized', confirmations: 2 });
  },
});

const thresholdOwnInFlight = eachInFlight({
  'L6/drop-option: open sets how many non-confirmations drop a transaction': async (context, stage) => {
    const pool = await openPool(context, { dropThreshold: 4 });
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 3);
    const [third] = await pool.stages(hash);
    await pool.block(4);
    assert.deepEqual([third, ...(await pool.stages(hash))], [stage, 'Dropped']);
  },
  'L6/policy-partial: the threshold that a call leaves out is the one of open': async (context, stage) => {
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 3 });
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 2, { finalizeThreshold: 5 });
    const [second] = await pool.stages(hash);
    await pool.block(3, {}, { finalizeThreshold: 5 });
    assert.deepEqual([second, ...(await pool.stages(hash))], [stage, 'Dropped']);
  },
  'L6/policy-drops: a call with a lower threshold drops transactions that are old enough': async (context, stage) => {
    const pool = await openPool(context, never);
    const old = await pool.flyOne(stage);
    await pool.blocks(1, 4);
    const young = await pool.flyOne(stage);
    await pool.block(5, {}, { dropThreshold: 3 });
    assert.deepEqual(await pool.stages(old, young), ['Dropped', stage]);
  },
  'L6/never-drops: with a threshold of Infinity nothing is dropped': async (context, stage) => {
    const pool = await openPool(context, { dropThreshold: Number.POSITIVE_INFINITY });
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 30);
    assert.deepEqual((await pool.status(hash)).nonConfirmations, 30);
  },
  'L6/return-clears: a return to Pending clears both counters': async (context, stage) => {
    const pool = await openPool(context, never);
    const deep = await pool.receiveOne();
    const old = await pool.flyOne(stage);
    await pool.block(1, { seen: [deep] });
    await pool.blocks(2, 3);
    await pool.block(4, { unseen: [deep, old] });
    for (const hash of [deep, old])
      await pool.assertStatus(hash, { confirmations: 0, nonConfirmations: 0, confirmedAt: null });
  },
  'L6/seen-saves: a block that carries a transaction confirms it instead of dropping it': async (context, stage) => {
    const pool = await openPool(context, { dropThreshold: 2 });
    const hash = await pool.flyOne(stage);
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    assert.equal((await pool.status(hash)).stage, 'Confirmed');
  },
  'L6/unseen-saves: a block that names it as unseen returns it instead of finalizing it': async (context, stage) => {
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 2 });
    const deep = await pool.receiveOne();
    const old = await pool.flyOne(stage);
    await pool.block(1, { seen: [deep] });
    await pool.block(2, { unseen: [deep, old] });
    assert.deepEqual(await pool.stages(deep, old), ['Pending', 'Pending']);
  },
});

export const thresholdCases: readonly ConformanceCase[] = [
  ...thresholdOnePool,
  ...thresholdInFlight,
  ...thresholdOwnPools,
  ...thresholdOwnInFlight,
  ...belowOne,
];
