import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { hashesOf, never, type Pool, point } from '../../scenario/pool.ts';

const defaultDepth = 2_160;

const blocksAtOnce = 200;

/** Applies many blocks in order, some hundred at once: thousands at once can take longer than one call may wait (X5). */
async function longChain(pool: Pool, from: number, to: number): Promise<void> {
  for (let first = from; first <= to; first += blocksAtOnce) {
    const count = Math.min(blocksAtOnce, to - first + 1);
    await Promise.all(Array.from({ length: count }, (_, i) => pool.block(first + i)));
  }
}

const rollbackDepthOwnPools = mustEach({
  'L9/null-kept-only: a rollback to the origin undoes the kept blocks; confirmations by older blocks stay': async (
    context,
  ) => {
    const pool = await openPool(context, { ...never, maxRollback: 3 });
    const [old, recent] = await pool.receiveHashes(2);
    await pool.block(1, { seen: [old] });
    await pool.blocks(2, 8);
    await pool.block(9, { seen: [recent] });
    await pool.block(10);
    const outcome = await pool.store.rollback('origin');
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 6 }, undone: 4, returned: 1 });
    await pool.assertStatus(old, { stage: 'Confirmed', confirmations: 6 });
    await pool.assertStatus(recent, { stage: 'Pending', confirmations: 0 });
  },
  'L9/default-depth: by default 2,160 blocks can be undone, and tip lists all their points': async (context) => {
    const pool = await openPool(context, never);
    await pool.block(1);
    const hashes = await pool.flyEach();
    await longChain(pool, 2, defaultDepth + 1);
    const kept = Array.from({ length: defaultDepth + 1 }, (_, i) => point(defaultDepth + 1 - i));
    assert.deepEqual((await pool.store.tip({ points: 2_000 })).points, kept.slice(0, 2_000));
    assert.deepEqual((await pool.store.tip({ points: 5_000 })).points, kept);
    const outcome = await pool.rollback(1);
    assert.equal(outcome.kind === 'rolled-back' && outcome.undone, defaultDepth);
    const ages = (await pool.store.status(hashes)).map(({ nonConfirmations }) => nonConfirmations);
    assert.deepEqual(ages, [0, 0]);
  },
  'L9/many-returned: a rollback may return thousands, in their old order': async (context) => {
    const pool = await openPool(context, { ...never, maxFinalized: 2_000 });
    const all = [await pool.receive(1_000), await pool.receive(500)].flatMap(hashesOf);
    await pool.block(1);
    for (let i = 0; i < 5; i++) await pool.block(i + 2, { seen: all.slice(i * 300, i * 300 + 300) });
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), all.slice(0, 1_000));
    assert.equal((await pool.store.usage()).pending, all.length);
  },
});

/** Cases of L9: how far a rollback goes, and its outcomes. */
export const rollbackDepthCases: readonly ConformanceCase[] = [...rollbackDepthOwnPools];
