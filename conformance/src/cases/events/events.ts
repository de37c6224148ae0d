import assert from 'node:assert/strict';
import type { MempoolEvent, TransactionEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { forkPoint, gist, never, type Pool, point, timeless } from '../../scenario/pool.ts';

const stageOrder = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'];

/** The transitions, among the next `count`, that could not be read when their event arrived. */
async function tooEarly(pool: Pool, stream: AsyncIterable<MempoolEvent>, count: number): Promise<string[]> {
  const early: string[] = [];
  let seen = 0;
  for await (const event of stream) {
    if (event.kind !== 'transaction') continue;
    const [stage = 'Unknown'] = await pool.stages(event.hash);
    if (stageOrder.indexOf(stage) < stageOrder.indexOf(event.stage)) early.push(gist(event));
    seen += 1;
    if (seen === count) break;
  }
  return early;
}

const ownPools = mustEach({
  'E1/numbers: events are numbered from 1 without gaps, through every verb': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const all = await pool.receiveHashes(6);
    await pool.mark(...all.slice(0, 4));
    await pool.acknowledge(...all.slice(0, 2));
    await pool.release(...all.slice(3, 4));
    await pool.drop(...all.slice(4, 5));
    await pool.block(1, { seen: all.slice(0, 1), unseen: all.slice(1, 2) });
    await pool.blocks(2, 4);
    await pool.rollback(1);
    const numbers = (await pool.events()).map(({ eventSeq }) => eventSeq);
    const { lastEventSeq } = await pool.store.usage();
    assert.deepEqual(
      numbers,
      Array.from({ length: lastEventSeq }, (_, i) => i + 1),
    );
  },
  'E1/block-first: the block comes first, then the transactions by seq': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 2 });
    const [a, b, c, d, e] = await pool.receiveHashes(5);
    await pool.mark(e, b);
    await pool.block(1, { seen: [d] });
    await pool.mark(a);
    const made = await pool.eventsOf(() => pool.block(2, { seen: [c], unseen: [a] }));
    const byPlace = [`Pending ${a}`, `Dropped ${b}`, `Confirmed ${c}`, `Finalized ${d}`, `Dropped ${e}`];
    assert.deepEqual(made.map(gist), ['applied 2', ...byPlace]);
  },
  'E1/depth-is-silent: a block that only adds depth and age makes one event, its own': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.propagateOne();
    await pool.block(1, { seen: [hash] });
    const made = await pool.eventsOf(() => pool.block(2, { seen: [hash] }));
    const told = { eventSeq: 6, at: null, action: 'applied', point: point(2), tick: 2, nodeId: null, term: null };
    assert.deepEqual(timeless(made), [{ kind: 'block', ...told }]);
  },
  'E2/order-per-transaction: the events of each transaction come in the order of its life': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const all = await pool.receiveHashes(8);
    await Promise.all([pool.mark(...all), pool.acknowledge(...all), pool.block(1, { seen: all }), pool.block(2)]);
    const events = await pool.events();
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
  'E1/any-return: any return to Pending is told as Pending': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.block(1);
    await pool.mark(a, b);
    const made = await pool.eventsOf(async () => {
      await pool.release(a);
      await pool.block(2, { seen: [c], unseen: [b] });
      await pool.rollback(1);
    });
    const returns = [`Pending ${a}`, 'applied 2', `Pending ${b}`, `Confirmed ${c}`, 'undone 2', `Pending ${c}`];
    assert.deepEqual(made.map(gist), returns);
    const causes = made.flatMap((event) => (event.kind === 'transaction' ? [event.cause] : []));
    assert.deepEqual(causes, ['released', 'unseen', 'seen', 'rolled-back']);
  },
  'E1/undone-first: undone blocks come first, newest first, then the transactions by seq': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.block(1);
    await pool.block(2, { seen: [c] });
    await pool.block(3, { seen: [a] });
    await pool.block(4, { seen: [b] });
    const made = await pool.eventsOf(() => pool.rollback(1));
    const returned = [`Pending ${a}`, `Pending ${b}`, `Pending ${c}`];
    assert.deepEqual(made.map(gist), ['undone 4', 'undone 3', 'undone 2', ...returned]);
  },
  'E1/by-seq: the events of one call are in seq order, whatever the order asked': async (pool) => {
    const all = await pool.receiveHashes(5);
    const backwards = all.toReversed();
    const made = await pool.eventsOf(async () => {
      await pool.mark(...backwards);
      await pool.acknowledge(...backwards);
      await pool.release(...backwards);
      await pool.drop(...backwards);
    });
    const stages = ['Propagated', 'Acknowledged', 'Pending', 'Dropped'];
    assert.deepEqual(
      made.map(gist),
      stages.flatMap((stage) => all.map((hash) => `${stage} ${hash}`)),
    );
  },
  'E1/arrival-order: the events of received transactions are in fifo order': async (pool) => {
    const all = await pool.receiveHashes(12);
    assert.deepEqual(
      (await pool.events()).map(gist),
      all.map((hash) => `Pending ${hash}`),
    );
  },
  'E1/nothing-happened: a call without effect makes no event': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.block(1);
    const made = await pool.eventsOf(async () => {
      await store.receive([one]);
      await pool.acknowledge(one.hash);
      await pool.release(one.hash, pool.random.hex(32));
      await pool.block(1, { seen: [one.hash] });
      await store.confirm({ point: point(9), parent: point(8).hash, seen: [one.hash], unseen: [] });
      await pool.rollback(1);
      await pool.rollback(77);
    });
    assert.deepEqual(made, []);
  },
  'E2/never-early: when an event arrives, reads show its transition': async (pool) => {
    const stream = await pool.subscribe();
    const all = await pool.receiveHashes(5);
    const calls = [pool.mark(...all), pool.acknowledge(...all), pool.block(1, { seen: all })];
    const [behind] = await Promise.all([tooEarly(pool, stream, all.length * 4), ...calls]);
    assert.deepEqual(behind, []);
  },
  'E2/final-is-last: no event follows a final event, whatever is called': async (pool, store) => {
    const [final, gone] = await pool.receiveHashes(2);
    await pool.finalizeIn(1, final);
    await pool.drop(gone);
    const made = await pool.eventsOf(async () => {
      for (const hash of [final, gone]) {
        await pool.mark(hash);
        await pool.acknowledge(hash);
        await pool.release(hash);
        await store.drop([hash], 'invalid');
      }
      await pool.block(2, { seen: [final], unseen: [gone] });
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
    const pool = await openPool(context, { finalizeThreshold: 2, dropThreshold: 9 });
    const hash = await pool.receiveOne();
    await pool.mark(hash);
    await pool.block(1);
    await pool.acknowledge(hash);
    await pool.block(2);
    await pool.block(3, { seen: [hash] });
    await pool.block(4);
    const steps = (await pool.events()).flatMap((event) => (event.kind === 'transaction' ? [step(event)] : []));
    assert.deepEqual(steps, [
      'Unknown 0 0 → Pending 0 0',
      'Pending 0 0 → Propagated 0 0',
      'Propagated 0 1 → Acknowledged 0 1',
      'Acknowledged 0 2 → Confirmed 1 0',
      'Confirmed 1 0 → Finalized 2 0',
    ]);
  },
  'E1/finalized-point: the point of a Finalized event is the confirming block': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 3 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2);
    const [, event] = await pool.eventsOf(() => pool.block(3));
    assert.deepEqual(event?.kind === 'transaction' && [event.stage, event.point], ['Finalized', point(1)]);
  },
  'E1/finalized-undone: the return of a Finalized transaction shows its final counters': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.blocks(3, 5);
    const made = await pool.eventsOf(() => pool.rollback(1));
    const last = made.at(-1);
    assert.ok(last?.kind === 'transaction');
    assert.deepEqual([step(last), last.point], ['Finalized 2 0 → Pending 0 0', null]);
  },
  'E1/depth-before-undone: the return of a Confirmed transaction shows its depth before the call': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.blocks(3, 5);
    const made = await pool.eventsOf(() => pool.rollback(1));
    const last = made.at(-1);
    assert.equal(last?.kind === 'transaction' && step(last), 'Confirmed 4 0 → Pending 0 0');
  },
});

const eventContentOnePool = eachOnPool({
  'E1/whole-event: an event carries number, hash, seq, stages, counters, point and reason': async (pool, store) => {
    const one = pool.transaction();
    const [outcome] = await store.receive([one]);
    await pool.block(1, { seen: [one.hash] });
    const [event] = await pool.events(2);
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
  'E1/jump: a transaction that jumps in one call has one event, with the stage it reached': async (pool) => {
    const hash = await pool.receiveOne();
    const made = await pool.eventsOf(() => pool.finalizeIn(1, hash));
    assert.deepEqual(made.map(gist), ['applied 1', `Finalized ${hash}`]);
    const [, event] = made;
    assert.deepEqual(event?.kind === 'transaction' && event.previous.stage, 'Pending');
  },
  'E1/stale: a stale transaction leaves with its age, the reason and no point': async (pool) => {
    const hash = await pool.propagateOne();
    await pool.block(1);
    const [, event] = await pool.eventsOf(() => pool.block(2, {}, { dropThreshold: 2 }));
    assert.ok(event?.kind === 'transaction');
    assert.equal(event.hash, hash);
    assert.deepEqual([step(event), event.reason, event.point], ['Propagated 0 1 → Dropped 0 2', 'stale', null]);
  },
  'E1/reason: a Dropped event has a reason, other events have none': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.drop(one.hash);
    await store.receive([one]);
    const reasons = (await pool.events()).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(reasons, [null, 'failed', null]);
  },
  'E1/block-tick: a block event has the tick that the block has or had': async (pool, store) => {
    await pool.blocks(1, 3);
    await pool.rollback(1);
    await store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
    const told = (await pool.events()).map(
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
  'E1/new-life: a new life begins as Pending, and its event shows the drop before it': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.mark(one.hash);
    await pool.block(1);
    await pool.drop(one.hash);
    const [event] = await pool.eventsOf(() => store.receive([one]));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 1 → Pending 0 0');
  },
  'E1/late-arrival: a transaction received as Confirmed has one event, with its block': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.block(2);
    const [event, ...more] = await pool.eventsOf(() => store.receive([one]));
    assert.ok(event?.kind === 'transaction');
    assert.deepEqual([step(event), event.point, more], ['Unknown 0 0 → Confirmed 2 0', point(1), []]);
  },
});

const inFlight = eachOnPoolInFlight({
  'E1/revived: the event of a revival shows the drop before it': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 2, { dropThreshold: 2 });
    const [, event] = await pool.eventsOf(() => pool.block(3, { seen: [hash] }));
    assert.equal(event?.kind === 'transaction' && step(event), 'Dropped 0 2 → Confirmed 1 0');
  },
});

/** Cases of E1: the content of an event. */
export const eventContentCases: readonly ConformanceCase[] = [
  ...eventContentOwnPools,
  ...eventContentOnePool,
  ...inFlight,
];
