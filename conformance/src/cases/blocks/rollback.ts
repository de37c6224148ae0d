import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  finalizeIn,
  flyOne,
  forkPoint,
  hashesOf,
  logEntries,
  never,
  pendingOrder,
  point,
  propagateOne,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L9/undone-block: transactions of an undone block return to Pending with no counters': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    const status = { stage: 'Pending', confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null };
    assert.deepEqual(await statusOf(store, hash), { hash, ...status });
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
    await store.drop([hash], 'gone');
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [hash]);
  },
  'L9/return-stays: what an undone block gave up stays Pending': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2, { unseen: [hash] });
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [hash]);
  },
  'L9/switch-depth: a fork switch adds no depth to what stood before it': async (store, context) => {
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
  'L9/returned-in-flight-again: what returned may be marked again and ages from there': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    await store.markInflight([hash]);
    await block(store, 2);
    const { stage, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, nonConfirmations], ['Propagated', 1]);
  },
  'L9/pending-untouched: what waited before a rollback waits after it, in the same order': async (store, context) => {
    const before = hashesOf(await receive(context, store, 2));
    await emptyBlocks(store, 1, 3);
    const after = hashesOf(await receive(context, store, 2));
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [...before, ...after]);
  },
});

const ownPools = mustEach({
  'L9/standing-block: transactions of a standing block lose the depth of the undone ones': async (context) => {
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
  'L9/finalized-standing: a Finalized transaction of a standing block stays as it was': async (context) => {
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
  'L9/age-taken-back: what is in flight loses exactly the age of the undone blocks': async (context) => {
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
    const store = await context.open();
    const hash = await flyOne(context, store, flying);
    await emptyBlocks(store, 1, 2);
    await store.rollback(point(1));
    const { stage, reason, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, reason, nonConfirmations], ['Dropped', 'stale', 2]);
  },
  'L9/marked-after-target: what was marked after the target counts from the target': async (context, stage) => {
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
  'L9/release-stays: what was released after the target stays Pending': async (store, stage, context) => {
    await block(store, 1);
    const hash = await flyOne(context, store, stage);
    await block(store, 2);
    await store.release([hash]);
    await store.rollback(point(1));
    assert.deepEqual(await stagesOf(store, [hash]), ['Pending']);
  },
});

/** L9 for what a rollback does to each transaction. */
export const rollbackCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...ownInFlight, ...inFlight];
