import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  eventsOf,
  flyEach,
  flyOne,
  forkPoint,
  hashesOf,
  never,
  pendingOrder,
  point,
  receive,
  receiveOne,
  snapshot,
  stagesOf,
  statusOf,
} from '../../scenario/pool.ts';

const defaultDepth = 2_160;

/** Blocks that wait for nothing: hundreds of them in one go, in order. */
async function longChain(store: MempoolStore, from: number, to: number): Promise<void> {
  const calls = Array.from({ length: to - from + 1 }, (_, i) => block(store, from + i));
  await Promise.all(calls);
}

const onePool = eachOnPool({
  'L9/outcome: the outcome tells the new tip and counts the blocks undone and the returned': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await block(store, 1, { seen: [a] });
    await block(store, 2, { seen: [b] });
    await block(store, 3, { seen: [c] });
    const outcome = await store.rollback(point(1));
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: point(1), tick: 1 }, undone: 2, returned: 2 });
  },
  'L9/tip-itself: a rollback to the tip changes nothing': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    const before = await snapshot(store);
    const outcome = await store.rollback(point(2));
    assert.deepEqual(outcome, { kind: 'unchanged', tip: { point: point(2), tick: 2 } });
    assert.deepEqual(await snapshot(store), before);
  },
  'L9/unknown-point: a point that was never applied is answered with the oldest kept': async (store) => {
    await emptyBlocks(store, 1, 3);
    const before = await snapshot(store);
    const outcome = await store.rollback(forkPoint(2));
    const tip = { point: point(3), tick: 3 };
    assert.deepEqual(outcome, { kind: 'unknown-point', tip, oldest: point(1) });
    assert.deepEqual(await snapshot(store), before);
  },
  'L9/whole-point: a kept hash in another slot, or a kept slot with another hash, is no kept point': async (store) => {
    await emptyBlocks(store, 1, 3);
    const before = await snapshot(store);
    const tip = { point: point(3), tick: 3 };
    for (const { slot, hash } of [point(2), point(3)]) {
      const others = [slot + 1, slot + 2 ** 32].map((other) => ({ slot: other, hash }));
      for (const other of [...others, { slot, hash: forkPoint(2).hash }])
        assert.deepEqual(await store.rollback(other), { kind: 'unknown-point', tip, oldest: point(1) });
    }
    assert.deepEqual(await snapshot(store), before);
  },
  'L9/undone-point: a point that was undone is unknown': async (store) => {
    await emptyBlocks(store, 1, 3);
    await store.rollback(point(1));
    const outcome = await store.rollback(point(3));
    assert.equal(outcome.kind, 'unknown-point');
  },
  'L9/no-tip: without a tip every point is unknown and none is kept': async (store) => {
    const outcome = await store.rollback(point(1));
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: null, tick: 0 }, oldest: null });
  },
  'L9/null-unchanged: rollback(null) without a tip changes nothing': async (store, context) => {
    const made = await eventsOf(context, store, async () => {
      assert.deepEqual(await store.rollback(null), { kind: 'unchanged', tip: { point: null, tick: 0 } });
    });
    assert.deepEqual(made, []);
  },
  'L9/null-twice: rollback(null) after rollback(null) changes nothing': async (store) => {
    await emptyBlocks(store, 1, 2);
    await store.rollback(null);
    assert.equal((await store.rollback(null)).kind, 'unchanged');
  },
  'L9/null-then-apply: after rollback(null) the chain can be applied again': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await store.rollback(null);
    const outcome = await block(store, 1, { seen: [hash] });
    assert.deepEqual([outcome.kind, outcome.tip], ['applied', { point: point(1), tick: 1 }]);
    assert.equal((await statusOf(store, hash)).confirmations, 1);
  },
});

const ownPools = mustEach({
  'L9/null: rollback(null) undoes every block and leaves no tip': async (context) => {
    const store = await context.open(never);
    const [seen, flying] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([flying]);
    await block(store, 1, { seen: [seen] });
    await emptyBlocks(store, 2, 3);
    const acknowledged = await flyOne(context, store, 'Acknowledged');
    const outcome = await store.rollback(null);
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 0 }, undone: 3, returned: 1 });
    assert.deepEqual(await store.tip({ points: 9 }), { point: null, tick: 0, points: [] });
    const told = await store.checkStatus([seen, flying, acknowledged]);
    assert.deepEqual(
      told.map(({ stage, nonConfirmations }) => `${stage} ${nonConfirmations}`),
      ['Pending 0', 'Propagated 0', 'Acknowledged 0'],
    );
  },
  'L9/deepest: a rollback of maxRollback blocks is possible': async (context) => {
    const store = await context.open({ ...never, maxRollback: 3 });
    const hash = await receiveOne(context, store);
    await emptyBlocks(store, 1, 7);
    await block(store, 8, { seen: [hash] });
    await emptyBlocks(store, 9, 10);
    const outcome = await store.rollback(point(7));
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: point(7), tick: 7 }, undone: 3, returned: 1 });
  },
  'L9/too-deep: a rollback of more than maxRollback blocks is refused with the oldest kept': async (context) => {
    const store = await context.open({ ...never, maxRollback: 3 });
    const hash = await receiveOne(context, store);
    await emptyBlocks(store, 1, 9);
    await block(store, 10, { seen: [hash] });
    const outcome = await store.rollback(point(6));
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: point(10), tick: 10 }, oldest: point(7) });
    assert.deepEqual(await stagesOf(store, [hash]), ['Confirmed']);
  },
  'L9/no-deeper-in-steps: two rollbacks go no deeper than one': async (context) => {
    const store = await context.open({ ...never, maxRollback: 3 });
    await emptyBlocks(store, 1, 10);
    await store.rollback(point(8));
    const outcome = await store.rollback(point(6));
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: point(8), tick: 8 }, oldest: point(7) });
  },
  'L9/null-kept-only: rollback(null) undoes what is kept; what an older block confirmed stands': async (context) => {
    const store = await context.open({ ...never, maxRollback: 3 });
    const [old, recent] = hashesOf(await receive(context, store, 2)) as [string, string];
    await block(store, 1, { seen: [old] });
    await emptyBlocks(store, 2, 8);
    await block(store, 9, { seen: [recent] });
    await block(store, 10);
    const outcome = await store.rollback(null);
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 6 }, undone: 4, returned: 1 });
    const told = await store.checkStatus([old, recent]);
    assert.deepEqual(
      told.map(({ stage, confirmations }) => `${stage} ${confirmations}`),
      ['Confirmed 6', 'Pending 0'],
    );
  },
  'L9/default-depth: by default 2,160 blocks can be undone, and tip lists all their points': async (context) => {
    const store = await context.open(never);
    await block(store, 1);
    const hashes = await flyEach(context, store);
    await longChain(store, 2, defaultDepth + 1);
    const kept = Array.from({ length: defaultDepth + 1 }, (_, i) => point(defaultDepth + 1 - i));
    assert.deepEqual((await store.tip({ points: 2_000 })).points, kept.slice(0, 2_000));
    assert.deepEqual((await store.tip({ points: 5_000 })).points, kept);
    const outcome = await store.rollback(point(1));
    assert.equal(outcome.kind === 'rolled-back' && outcome.undone, defaultDepth);
    const ages = (await store.checkStatus(hashes)).map(({ nonConfirmations }) => nonConfirmations);
    assert.deepEqual(ages, [0, 0]);
  },
  'L9/many-returned: a rollback may return thousands, in their old order': async (context) => {
    const store = await context.open({ ...never, maxFinalized: 2_000 });
    const all = [await receive(context, store, 1_000), await receive(context, store, 500)].flatMap(hashesOf);
    await block(store, 1);
    for (let i = 0; i < 5; i++) await block(store, i + 2, { seen: all.slice(i * 300, i * 300 + 300) });
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), all.slice(0, 1_000));
    assert.equal((await store.usage()).pending, all.length);
  },
});

/** L9 for how far a rollback goes and what it answers. */
export const rollbackDepthCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
