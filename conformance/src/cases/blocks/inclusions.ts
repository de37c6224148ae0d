import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  finalizeIn,
  hashesOf,
  never,
  pendingOrder,
  plainStatus,
  point,
  snapshot,
  stagesOf,
  statusOf,
  transaction,
  withoutFacts,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L13/seen-before: a transaction that a late block carried is received as Confirmed by it': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2);
    const [outcome] = await store.receive([one]);
    assert.equal(outcome?.kind === 'received' && outcome.stage, 'Confirmed');
    assert.deepEqual(withoutFacts(await statusOf(store, one.hash)), {
      ...plainStatus(one.hash, 'Confirmed'),
      confirmations: 2,
      confirmedAt: point(1),
    });
  },
  'L13/not-waiting: a transaction received as Confirmed is not in the queue': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual([await store.hasPending(), await pendingOrder(store)], [false, []]);
    assert.deepEqual(hashesOf((await store.peekInflight()).transactions), [one.hash]);
  },
  'L13/last-that-counts: the oldest block that counts is finalizeThreshold − 1 below the tip': async (
    store,
    context,
  ) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await emptyBlocks(store, 2, 6);
    await store.receive([one]);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Confirmed']);
  },
  'L13/too-old: a block finalizeThreshold below the tip does not count': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await emptyBlocks(store, 2, 7);
    await store.receive([one]);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Pending']);
  },
  'L13/first-sighting: if two blocks carried a transaction, the first one confirms it': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual((await statusOf(store, one.hash)).confirmedAt, point(1));
  },
  'L13/unseen-forgets: a transaction that a later block named as unseen is received as Pending': async (
    store,
    context,
  ) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2, { unseen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Pending']);
  },
  'L13/seen-after-unseen: a later block confirms a transaction that an earlier one named as unseen': async (
    store,
    context,
  ) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2, { unseen: [one.hash] });
    await block(store, 3, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual((await statusOf(store, one.hash)).confirmedAt, point(3));
  },
  'L13/rollback-forgets: a transaction that only an undone block carried is received as Pending': async (
    store,
    context,
  ) => {
    const one = transaction(context.random);
    await block(store, 1);
    await block(store, 2, { seen: [one.hash] });
    await store.rollback(point(1));
    await store.receive([one]);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Pending']);
  },
  'L13/rollback-keeps: a transaction carried by a block that was not undone is received as Confirmed': async (
    store,
    context,
  ) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await emptyBlocks(store, 2, 3);
    await store.rollback(point(1));
    await store.receive([one]);
    assert.equal((await statusOf(store, one.hash)).confirmations, 1);
  },
  'L13/undone-later: a transaction received as Confirmed returns when its block is undone': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1);
    await block(store, 2, { seen: [one.hash] });
    await store.receive([one]);
    await store.rollback(point(1));
    assert.deepEqual(await pendingOrder(store), [one.hash]);
  },
  'L13/batch: one call may receive some as Confirmed and others as Pending': async (store, context) => {
    const [a, b, c] = [transaction(context.random), transaction(context.random), transaction(context.random)];
    await block(store, 1, { seen: [b.hash] });
    const outcomes = await store.receive([a, b, c]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind === 'received' && outcome.stage),
      ['Pending', 'Confirmed', 'Pending'],
    );
  },
  'L13/no-trace: a hash that only the chain knows is Unknown': async (store, context) => {
    const hash = context.random.hex(32);
    await block(store, 1, { seen: [hash] });
    const [usage] = await snapshot(store);
    assert.deepEqual([await stagesOf(store, [hash]), usage.confirmed], [['Unknown'], 0]);
  },
});

const ownPools = mustEach({
  'L13/threshold-of-open: open sets how far back blocks count': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const [near, far] = [transaction(context.random), transaction(context.random)];
    await block(store, 1, { seen: [far.hash] });
    await block(store, 2, { seen: [near.hash] });
    await block(store, 3);
    await store.receive([near, far]);
    assert.deepEqual(await stagesOf(store, [near.hash, far.hash]), ['Confirmed', 'Pending']);
  },
  'L13/threshold-infinite: with a threshold of Infinity every block kept counts': async (context) => {
    const store = await context.open({ finalizeThreshold: Number.POSITIVE_INFINITY });
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await emptyBlocks(store, 2, 20);
    await store.receive([one]);
    assert.equal((await statusOf(store, one.hash)).confirmations, 20);
  },
  'L13/forgotten-with-the-first: a hash is forgotten with the first block that carried it': async (context) => {
    const store = await context.open({ ...never, maxRollback: 2 });
    const [again, anew] = [transaction(context.random), transaction(context.random)];
    await block(store, 1, { seen: [again.hash, anew.hash] });
    await block(store, 2, { seen: [again.hash] });
    await block(store, 3);
    await block(store, 4, { seen: [anew.hash] });
    await store.receive([again, anew]);
    const told = (await store.checkStatus([again.hash, anew.hash])).map(({ stage, confirmedAt }) => [
      stage,
      confirmedAt,
    ]);
    assert.deepEqual(told, [
      ['Pending', null],
      ['Confirmed', point(4)],
    ]);
  },
  'L13/next-block-finalizes: receive finalizes nothing: the next block does': async (context) => {
    const store = await context.open({ finalizeThreshold: 3 });
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await emptyBlocks(store, 2, 3);
    await store.receive([one]);
    const [received] = await stagesOf(store, [one.hash]);
    await block(store, 4);
    assert.deepEqual([received, ...(await stagesOf(store, [one.hash]))], ['Confirmed', 'Finalized']);
  },
  'L13/known-then-forgotten: a block that carried a known transaction counts when it is forgotten': async (context) => {
    const store = await context.open({ maxFinalized: 1 });
    const [one, other] = [transaction(context.random), transaction(context.random)];
    await store.receive([one, other]);
    await finalizeIn(store, 1, [one.hash]);
    await finalizeIn(store, 2, [other.hash]);
    await store.receive([one]);
    assert.deepEqual((await statusOf(store, one.hash)).confirmedAt, point(1));
  },
});

/** Cases of L13: a block arrives before its transaction. */
export const inclusionCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
