import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';

const onePool = eachOnPool({
  'L13/last-that-counts: the oldest block that counts is finalizeThreshold − 1 below the tip': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 6);
    await store.receive([one]);
    assert.deepEqual(await pool.stages(one.hash), ['Confirmed']);
  },
});

const ownPools = mustEach({
  'L13/threshold-infinite: with a threshold of Infinity every block kept counts': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: Number.POSITIVE_INFINITY });
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 20);
    await pool.store.receive([one]);
    assert.equal((await pool.status(one.hash)).confirmations, 20);
  },
});

/** Cases of L13: a block arrives before its transaction. */
export const inclusionCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
