import assert from 'node:assert/strict';
import type { MempoolEvent, MempoolStore, TransactionEvent } from 'mempool-core';
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
  hashesOf,
  never,
  point,
  propagateOne,
  receive,
  receiveOne,
  stagesOf,
  timeless,
  transaction,
} from '../../scenario/pool.ts';

const stageOrder = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'];

/** The transitions, among the next `count`, that could not be read when their event arrived. */
async function tooEarly(store: MempoolStore, stream: AsyncIterable<MempoolEvent>, count: number): Promise<string[]> {
  const early: string[] = [];
  let seen = 0;
  for await (const event of stream) {
    if (event.kind !== 'transaction') continue;
    const [stage = 'Unknown'] = await stagesOf(store, [event.hash]);
    if (stageOrder.indexOf(stage) < stageOrder.indexOf(event.stage)) early.push(gist(event));
    seen += 1;
    if (seen === count) break;
  }
  return early;
}

const ownPools = mustEach({
  'E1/numbers: events are numbered from 1 without gaps, through every verb': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const all = hashesOf(await receive(context, store, 6));
    await store.markInflight(all.slice(0, 4));
    await store.markAcknowledged(all.slice(0, 2));
    await store.release(all.slice(3, 4));
    await store.drop(all.slice(4, 5), 'failed');
    await block(store, 1, { seen: all.slice(0, 1), unseen: all.slice(1, 2) });
    await emptyBlocks(store, 2, 4);
    await store.rollback(point(1));
    const numbers = (await eventsAfter(context, store)).map(({ eventSeq }) => eventSeq);
    const { lastEventSeq } = await store.usage();
    assert.deepEqual(
      numbers,
      Array.from({ length: lastEventSeq }, (_, i) => i + 1),
    );
  },
  'E1/block-first: the block comes first, then the transactions by seq': async (context) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 2 });
    const [a, b, c, d, e] = hashesOf(await receive(context, store, 5)) as [string, string, string, string, string];
    await store.markInflight([e, b]);
    await block(store, 1, { seen: [d] });
    await store.markInflight([a]);
    const made = await eventsOf(context, store, () => block(store, 2, { seen: [c], unseen: [a] }));
    const byPlace = [`Pending ${a}`, `Dropped ${b}`, `Confirmed ${c}`, `Finalized ${d}`, `Dropped ${e}`];
    assert.deepEqual(made.map(gist), ['applied 2', ...byPlace]);
  },
  'E1/depth-is-silent: a block that only adds depth and age makes one event, its own': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await propagateOne(context, store);
    await block(store, 1, { seen: [hash] });
    const made = await eventsOf(context, store, () => block(store, 2, { seen: [hash] }));
    const told = { eventSeq: 6, at: null, action: 'applied', point: point(2), tick: 2, nodeId: null, term: null };
    assert.deepEqual(timeless(made), [{ kind: 'block', ...told }]);
  },
  'E2/order-per-transaction: the events of each transaction come in the order of its life': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const all = hashesOf(await receive(context, store, 8));
    await Promise.all([
      store.markInflight(all),
      store.markAcknowledged(all),
      block(store, 1, { seen: all }),
      block(store, 2),
    ]);
    const events = await eventsAfter(context, store);
    const txStates = all.map((hash) =>
      events.flatMap((event) => (event.kind === 'transaction' && event.hash === hash ? [event.stage] : [])),
    );
    assert.deepEqual(
      txStates,
      all.map(() => stageOrder),
    );
  },
});

const onePool = eachOnPool({
  'E1/any-return: any return to Pending is told as Pending': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await block(store, 1);
    await store.markInflight([a, b]);
    const made = await eventsOf(context, store, async () => {
      await store.release([a]);
      await block(store, 2, { seen: [c], unseen: [b] });
      await store.rollback(point(1));
    });
    const returns = [`Pending ${a}`, 'applied 2', `Pending ${b}`, `Confirmed ${c}`, 'undone 2', `Pending ${c}`];
    assert.deepEqual(made.map(gist), returns);
    const causes = made.flatMap((event) => (event.kind === 'transaction' ? [event.cause] : []));
    assert.deepEqual(causes, ['released', 'unseen', 'seen', 'rolled-back']);
  },
  'E1/undone-first: undone blocks come first, newest first, then the transactions by seq': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await block(store, 1);
    await block(store, 2, { seen: [c] });
    await block(store, 3, { seen: [a] });
    await block(store, 4, { seen: [b] });
    const made = await eventsOf(context, store, () => store.rollback(point(1)));
    const returned = [`Pending ${a}`, `Pending ${b}`, `Pending ${c}`];
    assert.deepEqual(made.map(gist), ['undone 4', 'undone 3', 'undone 2', ...returned]);
  },
  'E1/by-seq: the events of one call are in seq order, whatever the order asked': async (store, context) => {
    const all = hashesOf(await receive(context, store, 5));
    const backwards = all.toReversed();
    const made = await eventsOf(context, store, async () => {
      await store.markInflight(backwards);
      await store.markAcknowledged(backwards);
      await store.release(backwards);
      await store.drop(backwards, 'failed');
    });
    const stages = ['Propagated', 'Acknowledged', 'Pending', 'Dropped'];
    assert.deepEqual(
      made.map(gist),
      stages.flatMap((stage) => all.map((hash) => `${stage} ${hash}`)),
    );
  },
  'E1/arrival-order: the events of received transactions are in fifo order': async (store, context) => {
    const all = hashesOf(await receive(context, store, 12));
    assert.deepEqual(
      (await eventsAfter(context, store)).map(gist),
      all.map((hash) => `Pending ${hash}`),
    );
  },
  'E1/nothing-happened: a call without effect makes no event': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await block(store, 1);
    const made = await eventsOf(context, store, async () => {
      await store.receive([one]);
      await store.markAcknowledged([one.hash]);
      await store.release([one.hash, context.random.hex(32)]);
      await block(store, 1, { seen: [one.hash] });
      await store.confirm({ point: point(9), parent: point(8).hash, seen: [one.hash], unseen: [] });
      await store.rollback(point(1));
      await store.rollback(point(77));
    });
    assert.deepEqual(made, []);
  },
  'E2/never-early: when an event arrives, reads show its transition': async (store, context) => {
    const stream = await store.subscribe({ signal: context.signal });
    const all = hashesOf(await receive(context, store, 5));
    const calls = [store.markInflight(all), store.markAcknowledged(all), block(store, 1, { seen: all })];
    const [behind] = await Promise.all([tooEarly(store, stream, all.length * 4), ...calls]);
    assert.deepEqual(behind, []);
  },
  'E2/final-is-last: no event follows a final event, whatever is called': async (store, context) => {
    const [final, gone] = hashesOf(await receive(context, store, 2)) as [string, string];
    await finalizeIn(store, 1, [final]);
    await store.drop([gone], 'failed');
    const made = await eventsOf(context, store, async () => {
      for (const hash of [final, gone]) {
        await store.markInflight([hash]);
        await store.markAcknowledged([hash]);
        await store.release([hash]);
        await store.drop([hash], 'invalid');
      }
      await block(store, 2, { seen: [final], unseen: [gone] });
    });
    assert.deepEqual(made.map(gist), ['applied 2']);
  },
});

/** Cases of E1 and E2: which events there are, and their order. */
export const eventCases: readonly ConformanceCase[] = [...ownPools, ...onePool];

/** A transition as text: the stage and counters before, the stage and counters after. */
function step({ stage, previous, confirmations, nonConfirmations }: TransactionEvent): string {
  const before = `${previous.stage} ${previous.confirmations} ${previous.nonConfirmations}`;
  return `${before} → ${stage} ${confirmations} ${nonConfirmations}`;
}

const eventContentOwnPools = mustEach({
  'E1/whole-life: each transition is one event with the stage and counters before': async (context) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 9 });
    const hash = await receiveOne(context, store);
    await store.markInflight([hash]);
    await block(store, 1);
    await store.markAcknowledged([hash]);
    await block(store, 2);
    await block(store, 3, { seen: [hash] });
    await block(store, 4);
    const steps = (await eventsAfter(context, store)).flatMap((event) =>
      event.kind === 'transaction' ? [step(event)] : [],
    );
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
  'E1/finalized-undone: the return of a Finalized transaction shows its final counters': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 5);
    const made = await eventsOf(context, store, () => store.rollback(point(1)));
    const last = made.at(-1);
    assert.ok(last?.kind === 'transaction');
    assert.deepEqual([step(last), last.point], ['Finalized 2 0 → Pending 0 0', null]);
  },
  'E1/depth-before-undone: the return of a Confirmed transaction shows its depth before the call': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await emptyBlocks(store, 3, 5);
    const made = await eventsOf(context, store, () => store.rollback(point(1)));
    const last = made.at(-1);
    assert.equal(last?.kind === 'transaction' && step(last), 'Confirmed 4 0 → Pending 0 0');
  },
});

const eventContentOnePool = eachOnPool({
  'E1/whole-event: an event carries number, hash, seq, stages, counters, point and reason': async (store, context) => {
    const one = transaction(context.random);
    const [outcome] = await store.receive([one]);
    await block(store, 1, { seen: [one.hash] });
    const [event] = await eventsAfter(context, store, 2);
    assert.deepEqual(event && timeless([event]), [
      {
        kind: 'transaction',
        eventSeq: 3,
        at: null,
        hash: one.hash,
        seq: outcome?.kind === 'received' ? outcome.seq : null,
        stage: 'Confirmed',
        cause: 'seen',
        previous: { stage: 'Pending', confirmations: 0, nonConfirmations: 0 },
        confirmations: 1,
        nonConfirmations: 0,
        point: point(1),
        reason: null,
        attempts: 0,
        receivedAt: null,
      },
    ]);
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
    const [, event] = await eventsOf(context, store, () => block(store, 2, {}, { dropThreshold: 2 }));
    assert.ok(event?.kind === 'transaction');
    assert.equal(event.hash, hash);
    assert.deepEqual([step(event), event.reason, event.point], ['Propagated 0 1 → Dropped 0 2', 'stale', null]);
  },
  'E1/reason: a Dropped event has a reason, other events have none': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'failed');
    await store.receive([one]);
    const reasons = (await eventsAfter(context, store)).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(reasons, [null, 'failed', null]);
  },
  'E1/block-tick: a block event has the tick that the block has or had': async (store, context) => {
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
  'E1/new-life: a new life begins as Pending, and its event shows the drop before it': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.markInflight([one.hash]);
    await block(store, 1);
    await store.drop([one.hash], 'failed');
    const [event] = await eventsOf(context, store, () => store.receive([one]));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 1 → Pending 0 0');
  },
  'E1/late-arrival: a transaction received as Confirmed has one event, with its block': async (store, context) => {
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    await block(store, 2);
    const [event, ...more] = await eventsOf(context, store, () => store.receive([one]));
    assert.ok(event?.kind === 'transaction');
    assert.deepEqual([step(event), event.point, more], ['Unknown 0 0 → Confirmed 2 0', point(1), []]);
  },
});

const inFlight = eachOnPoolInFlight({
  'E1/revived: the event of a revival shows the drop before it': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 2, { dropThreshold: 2 });
    const [, event] = await eventsOf(context, store, () => block(store, 3, { seen: [hash] }));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 2 → Confirmed 1 0');
  },
});

/** Cases of E1: the content of an event. */
export const eventContentCases: readonly ConformanceCase[] = [
  ...eventContentOwnPools,
  ...eventContentOnePool,
  ...inFlight,
];
