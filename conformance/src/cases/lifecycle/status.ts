import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';
import { readVerbs, rejection } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'O3/order-asked: status answers in the order asked, repeated and unknown hashes too': async (pool, store) => {
    const [a, b] = await pool.receiveHashes(2);
    const foreign = pool.random.hex(32);
    await pool.mark(b);
    const asked = [b, foreign, a, b];
    const told = await store.status(asked);
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

export const statusCases: readonly ConformanceCase[] = [...onePool];
