import assert from 'node:assert/strict';
import type { TransactionEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  eventsAfter,
  eventsOf,
  finalizeIn,
  flyOne,
  forkPoint,
  gist,
  never,
  point,
  propagateOne,
  receiveOne,
  transaction,
} from '../../scenario/pool.ts';

/** Stage, stage before and its counters, counters: what a transition is. */
function step({ stage, previous, confirmations, nonConfirmations }: TransactionEvent): string {
  const before = `${previous.stage} ${previous.confirmations} ${previous.nonConfirmations}`;
  return `${before} → ${stage} ${confirmations} ${nonConfirmations}`;
}

const ownPools = mustEach({
  'E1/whole-life: each transition is one event that tells the stage and counters before': async (context) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 9 });
    const hash = await receiveOne(context, store);
    await store.markInflight([hash]);
    await block(store, 1);
    await store.markAcknowledged([hash]);
    await block(store, 2);
    await block(store, 3, { seen: [hash] });
    await block(store, 4);
    const steps = (await eventsAfter(context, store)).flatMap((event) => (event.kind === 'block' ? [] : [step(event)]));
    assert.deepEqual(steps, [
      'Unknown 0 0 → Pending 0 0',
      'Pending 0 0 → Propagated 0 0',
      'Propagated 0 1 → Acknowledged 0 1',
      'Acknowledged 0 2 → Confirmed 1 0',
      'Confirmed 1 0 → Finalized 2 0',
    ]);
  },
  'E1/finalized-point: the point of a Finalized event is the confirming block': async (context) => {
    const store = await context.open({ finalizeThreshold: 3 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2);
    const [, event] = await eventsOf(context, store, () => block(store, 3));
    assert.deepEqual(event?.kind === 'transaction' && [event.stage, event.point], ['Finalized', point(1)]);
  },
  'E1/finalized-undone: the return of a Finalized transaction tells the final counters before it': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 5);
    const made = await eventsOf(context, store, () => store.rollback(point(1)));
    const last = made.at(-1);
    assert.ok(last?.kind === 'transaction');
    assert.deepEqual([step(last), last.point], ['Finalized 2 0 → RolledBack 0 0', null]);
  },
  'E1/depth-before-undone: the return of a Confirmed transaction tells the depth before the call': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 5);
    const made = await eventsOf(context, store, () => store.rollback(point(1)));
    const last = made.at(-1);
    assert.equal(last?.kind === 'transaction' && step(last), 'Confirmed 4 0 → RolledBack 0 0');
  },
});

const onePool = eachOnPool({
  'E1/whole-event: an event carries number, hash, seq, stages, counters, point and reason': async (store, context) => {
    const one = transaction(context.random);
    const [outcome] = await store.receive([one]);
    await block(store, 1, { seen: [one.hash] });
    const [event] = await eventsAfter(context, store, 2);
    assert.deepEqual(event, {
      kind: 'transaction',
      eventSeq: 3,
      hash: one.hash,
      seq: outcome?.kind === 'received' ? outcome.seq : null,
      stage: 'Confirmed',
      previous: { stage: 'Pending', confirmations: 0, nonConfirmations: 0 },
      confirmations: 1,
      nonConfirmations: 0,
      point: point(1),
      reason: null,
    });
  },
  'E1/jump: a transaction that jumps in one call has one event, with the stage it reached': async (store, context) => {
    const hash = await receiveOne(context, store);
    const made = await eventsOf(context, store, () => finalizeIn(store, 1, [hash]));
    assert.deepEqual(made.map(gist), ['applied 1', `Finalized ${hash}`]);
    const [, event] = made;
    assert.deepEqual(event?.kind === 'transaction' && event.previous.stage, 'Pending');
  },
  'E1/stale: a stale transaction leaves with its age, the reason and no point': async (store, context) => {
    const hash = await propagateOne(context, store);
    await block(store, 1);
    const [, event] = await eventsOf(context, store, () => block(store, 2));
    assert.ok(event?.kind === 'transaction');
    assert.equal(event.hash, hash);
    assert.deepEqual([step(event), event.reason, event.point], ['Propagated 0 1 → Dropped 0 2', 'stale', null]);
  },
  'E1/reason: a Dropped event tells the reason, other events tell none': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'unwanted');
    await store.receive([one]);
    const reasons = (await eventsAfter(context, store)).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(reasons, [null, 'unwanted', null]);
  },
  'E1/block-tick: a block event tells the tick that the block has or had': async (store, context) => {
    await emptyBlocks(store, 1, 3);
    await store.rollback(point(1));
    await store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
    const told = (await eventsAfter(context, store)).map(
      (event) => event.kind === 'block' && [event.action, event.point, event.tick],
    );
    assert.deepEqual(told, [
      ['applied', point(1), 1],
      ['applied', point(2), 2],
      ['applied', point(3), 3],
      ['undone', point(3), 3],
      ['undone', point(2), 2],
      ['applied', forkPoint(2), 2],
    ]);
  },
  'E1/new-life: a new life begins as Pending and tells the drop before it': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.markInflight([one.hash]);
    await block(store, 1);
    await store.drop([one.hash], 'gone');
    const [event] = await eventsOf(context, store, () => store.receive([one]));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 1 → Pending 0 0');
  },
  'E1/late-arrival: what is received as Confirmed has one event, with its block': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2);
    const [event, ...more] = await eventsOf(context, store, () => store.receive([one]));
    assert.ok(event?.kind === 'transaction');
    assert.deepEqual([step(event), event.point, more], ['Unknown 0 0 → Confirmed 2 0', point(1), []]);
  },
});

const inFlight = eachOnPoolInFlight({
  'E1/revived: a revival tells the drop before it': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 2);
    const [, event] = await eventsOf(context, store, () => block(store, 3, { seen: [hash] }));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 2 → Confirmed 1 0');
  },
});

/** E1 for what an event tells. */
export const eventContentCases: readonly ConformanceCase[] = [...ownPools, ...onePool, ...inFlight];
