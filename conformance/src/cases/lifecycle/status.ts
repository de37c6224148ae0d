import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';
import { readVerbs, rejection } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'O3/order-asked: checkStatus answers in the order asked, repeated and unknown hashes too': async (pool, store) => {
    const [a, b] = await pool.receiveHashes(2);
    const foreign = pool.random.hex(32);
    await pool.mark(b);
    const asked = [b, foreign, a, b];
    const told = await store.checkStatus(asked);
    assert.deepEqual(hashesOf(told), asked);
    assert.deepEqual(
      told.map(({ stage }) => stage),
      ['Propagated', 'Unknown', 'Pending', 'Propagated'],
    );
  },
  'O5/never-empty: a read that cannot be answered rejects instead of an empty answer': async (pool, store) => {
    const hash = await pool.receiveOne();
    await store.close();
    const errors = await Promise.all(readVerbs.map(({ call }) => rejection(call(store, hash))));
    assert.ok(errors.every((error) => isMempoolError(error)));
  },
});

const ownPools = mustEach({
  'O3/older-entry-trimmed: that an older entry leaves the log changes nothing': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const one = pool.transaction();
    await pool.store.receive([one]);
    await pool.store.drop([one.hash], 'invalid');
    await pool.store.receive([one]);
    await pool.store.drop([one.hash], 'expired');
    await pool.assertStatus(one.hash, { stage: 'Dropped', reason: 'expired' });
  },
});

const inFlight = eachOnPoolInFlight({
  'O3/find-order: findInflight answers in the order asked, with null for other stages': async (pool, stage, store) => {
    const [waiting, final, gone] = await pool.receiveHashes(3);
    const flying = await pool.flyOne(stage);
    await pool.finalizeIn(1, final);
    await pool.drop(gone);
    const asked = [flying, waiting, final, gone, pool.random.hex(32), flying];
    const found = await store.findInflight(asked);
    assert.deepEqual(
      found.map((entry) => entry?.hash ?? null),
      [flying, null, null, null, null, flying],
    );
  },
});

export const statusCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight];
