import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  eventsOf,
  finalizeIn,
  flyEach,
  flyOne,
  forkPoint,
  hashesOf,
  logEntries,
  never,
  pendingOrder,
  plainStatus,
  point,
  propagateOne,
  receive,
  receiveOne,
  snapshot,
  stagesOf,
  statusOf,
  tipOf,
  withoutFacts,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L9/undone-block: transactions of an undone block return to Pending with no counters': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    assert.deepEqual(withoutFacts(await statusOf(store, hash)), plainStatus(hash, 'Pending'));
  },
  'L9/finalized-history: the log keeps the entry of a Finalized transaction that returned': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await finalizeIn(store, 2, [hash]);
    await store.rollback(point(1));
    await store.confirm({ point: forkPoint(2), seen: [hash], unseen: [] }, { finalizeThreshold: 1 });
    assert.deepEqual(
      (await logEntries(store)).map((entry) => [entry.logSeq, entry.hash, entry.point]),
      [
        [1, hash, point(2)],
        [2, hash, forkPoint(2)],
      ],
    );
  },
  'L9/revived-undone: a transaction revived by an undone block goes to Pending': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [hash]);
  },
  'L9/return-stays: a transaction that an undone block named as unseen stays Pending': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2, { unseen: [hash] });
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [hash]);
  },
  'L9/switch-depth: a fork switch adds no depth to a transaction confirmed before the fork': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2);
    await store.rollback(point(1));
    await store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [], unseen: [] });
    assert.equal((await statusOf(store, hash)).confirmations, 2);
  },
  'L9/switch-confirms-anew: the new side of a fork confirms what both sides carry': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    await store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [hash], unseen: [] });
    const { confirmations, confirmedAt } = await statusOf(store, hash);
    assert.deepEqual([confirmations, confirmedAt], [1, forkPoint(2)]);
  },
  'L9/returned-in-flight-again: a returned transaction may be marked again and ages from there': async (
    store,
    context,
  ) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    await store.markInflight([hash]);
    await block(store, 2);
    const { stage, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, nonConfirmations], ['Propagated', 1]);
  },
  'L9/pending-untouched: Pending transactions stay Pending through a rollback, in the same order': async (
    store,
    context,
  ) => {
    const before = hashesOf(await receive(context, store, 2));
    await emptyBlocks(store, 1, 3);
    const after = hashesOf(await receive(context, store, 2));
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [...before, ...after]);
  },
});

const ownPools = mustEach({
  'L9/standing-block: transactions of a block that was not undone lose the depth of the undone blocks': async (
    context,
  ) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 7);
    await store.rollback(point(4));
    const { stage, confirmations, confirmedAt } = await statusOf(store, hash);
    assert.deepEqual([stage, confirmations, confirmedAt], ['Confirmed', 3, point(2)]);
  },
  'L9/named-again: a block that named a Confirmed transaction again takes back only its own depth': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    const { stage, confirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, confirmations], ['Confirmed', 1]);
  },
  'L9/finalized-undone: a Finalized transaction of an undone block returns to Pending': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 5);
    const outcome = await store.rollback(point(1));
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 1);
    assert.deepEqual(await pendingOrder(store), [hash]);
  },
  'L9/finalized-standing: a Finalized transaction of a block that was not undone stays as it was': async (context) => {
    const store = await context.open({ finalizeThreshold: 4 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 4);
    const before = await statusOf(store, hash);
    const outcome = await store.rollback(point(2));
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 0);
    assert.deepEqual(await statusOf(store, hash), before);
  },
  'L9/finalized-forgotten: a Finalized transaction that has left the log does not return': async (context) => {
    const store = await context.open({ maxFinalized: 1 });
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await block(store, 1);
    await finalizeIn(store, 2, [a]);
    await finalizeIn(store, 3, [b]);
    const outcome = await store.rollback(point(1));
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 1);
    assert.deepEqual(await stagesOf(store, [a, b]), ['Unknown', 'Pending']);
  },
  'L9/age-taken-back: a transaction in flight loses exactly the age of the undone blocks': async (context) => {
    const store = await context.open(never);
    await block(store, 1);
    const propagated = await propagateOne(context, store);
    await block(store, 2);
    const acknowledged = await propagateOne(context, store);
    await emptyBlocks(store, 3, 5);
    await store.markAcknowledged([acknowledged]);
    await store.rollback(point(3));
    const told = await store.checkStatus([propagated, acknowledged]);
    assert.deepEqual(
      told.map(({ stage, nonConfirmations }) => [stage, nonConfirmations]),
      [
        ['Propagated', 2],
        ['Acknowledged', 1],
      ],
    );
  },
});

const ownInFlight = eachInFlight({
  'L9/dropped-stays: a transaction dropped by an undone block stays Dropped': async (context, flying) => {
    const store = await context.open({ dropThreshold: 2 });
    const hash = await flyOne(context, store, flying);
    await emptyBlocks(store, 1, 2);
    await store.rollback(point(1));
    const { stage, reason, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, reason, nonConfirmations], ['Dropped', 'stale', 2]);
  },
  'L9/marked-after-target: a transaction marked after the target counts from the target': async (context, stage) => {
    const store = await context.open(never);
    await emptyBlocks(store, 1, 4);
    const hash = await flyOne(context, store, stage);
    await store.rollback(point(1));
    const { nonConfirmations } = await statusOf(store, hash);
    await store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
    assert.deepEqual([nonConfirmations, (await statusOf(store, hash)).nonConfirmations], [0, 1]);
  },
  'L9/one-block-switch: a fork switch of one block ages nothing twice': async (context, flying) => {
    const store = await context.open();
    await block(store, 1);
    const hash = await flyOne(context, store, flying);
    await block(store, 2);
    await store.rollback(point(1));
    await store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [], unseen: [] });
    const { stage, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, nonConfirmations], [flying, 1]);
  },
  'L9/many-switches: ten fork switches age a transaction by one chain, not by eleven': async (context, flying) => {
    const store = await context.open({ dropThreshold: 3 });
    await block(store, 1);
    const hash = await flyOne(context, store, flying);
    for (let i = 0; i < 10; i++) {
      await store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
      await store.rollback(point(1));
    }
    await block(store, 2);
    const { stage, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, nonConfirmations], [flying, 1]);
  },
});

const inFlight = eachOnPoolInFlight({
  'L9/release-stays: a transaction released after the target stays Pending': async (store, stage, context) => {
    await block(store, 1);
    const hash = await flyOne(context, store, stage);
    await block(store, 2);
    await store.release([hash]);
    await store.rollback(point(1));
    assert.deepEqual(await stagesOf(store, [hash]), ['Pending']);
  },
});

/** Cases of L9: the effect of a rollback on each transaction. */
export const rollbackCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...ownInFlight, ...inFlight];

const defaultDepth = 2_160;

const blocksAtOnce = 200;

/** Applies many blocks in order, some hundred at once: thousands at once can take longer than one call may wait (X5). */
async function longChain(store: MempoolStore, from: number, to: number): Promise<void> {
  for (let first = from; first <= to; first += blocksAtOnce) {
    const count = Math.min(blocksAtOnce, to - first + 1);
    await Promise.all(Array.from({ length: count }, (_, i) => block(store, first + i)));
  }
}

const rollbackDepthOnePool = eachOnPool({
  'L9/outcome: the outcome has the new tip, and counts undone blocks and returned transactions': async (
    store,
    context,
  ) => {
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
  'L9/unknown-point: the answer to a point that was never applied has the oldest point kept': async (store) => {
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
  'L9/null-unchanged: a rollback to the origin without a tip changes nothing': async (store, context) => {
    const made = await eventsOf(context, store, async () => {
      assert.deepEqual(await store.rollback('origin'), { kind: 'unchanged', tip: { point: null, tick: 0 } });
    });
    assert.deepEqual(made, []);
  },
  'L9/null-twice: a second rollback to the origin changes nothing': async (store) => {
    await emptyBlocks(store, 1, 2);
    await store.rollback('origin');
    assert.equal((await store.rollback('origin')).kind, 'unchanged');
  },
  'L9/null-then-apply: after a rollback to the origin the chain can be applied again': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await store.rollback('origin');
    const outcome = await block(store, 1, { seen: [hash] });
    assert.deepEqual([outcome.kind, outcome.tip], ['applied', { point: point(1), tick: 1 }]);
    assert.equal((await statusOf(store, hash)).confirmations, 1);
  },
});

const rollbackDepthOwnPools = mustEach({
  'L9/null: a rollback to the origin undoes every block and leaves no tip': async (context) => {
    const store = await context.open(never);
    const [seen, flying] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([flying]);
    await block(store, 1, { seen: [seen] });
    await emptyBlocks(store, 2, 3);
    const acknowledged = await flyOne(context, store, 'Acknowledged');
    const outcome = await store.rollback('origin');
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 0 }, undone: 3, returned: 1 });
    assert.deepEqual(await tipOf(store, 9), { point: null, tick: 0, points: [] });
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
  'L9/null-kept-only: a rollback to the origin undoes the kept blocks; confirmations by older blocks stay': async (
    context,
  ) => {
    const store = await context.open({ ...never, maxRollback: 3 });
    const [old, recent] = hashesOf(await receive(context, store, 2)) as [string, string];
    await block(store, 1, { seen: [old] });
    await emptyBlocks(store, 2, 8);
    await block(store, 9, { seen: [recent] });
    await block(store, 10);
    const outcome = await store.rollback('origin');
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

/** Cases of L9: how far a rollback goes, and its outcomes. */
export const rollbackDepthCases: readonly ConformanceCase[] = [...rollbackDepthOnePool, ...rollbackDepthOwnPools];
