import assert from 'node:assert/strict';
import type { DropReason, MempoolStore, StoreEvent } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach, needing } from '../../case/must.ts';
import {
  block,
  eventsAfter,
  eventsOf,
  finalizeIn,
  hashesOf,
  logEntries,
  point,
  receive,
  receiveOne,
  statusOf,
} from '../../scenario/pool.ts';

/** The time of the pool's clock at the begin of a case. */
const startMs = 1_780_000_000_000;

interface Timed {
  readonly store: MempoolStore;
  readonly clock: { nowMs: number };
}

async function openTimed({ open }: CaseContext): Promise<Timed> {
  const clock = { nowMs: startMs };
  return { store: await open({ now: () => clock.nowMs, dropThreshold: 3 }), clock };
}

function timesOf(events: readonly StoreEvent[]): (number | null)[] {
  return events.map(({ at }) => at);
}

/** The causes of the transactions' events. */
function causesOf(events: readonly StoreEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'transaction' ? [`${event.stage} ${event.cause}`] : []));
}

const ownPools = mustEach({
  'E5/one-time: all events of a call have one time, that of the pool’s clock': async (context) => {
    const { store, clock } = await openTimed(context);
    const hashes = hashesOf(await receive(context, store, 3));
    clock.nowMs += 1_500;
    const made = await eventsOf(context, store, () => block(store, 1, { seen: hashes }));
    assert.deepEqual(timesOf(made), Array(4).fill(startMs + 1_500));
  },
  'E5/never-back: the time of an event is never before that of the event before': async (context) => {
    const { store, clock } = await openTimed(context);
    await receiveOne(context, store);
    clock.nowMs -= 700;
    await receiveOne(context, store);
    clock.nowMs += 701;
    await receiveOne(context, store);
    assert.deepEqual(timesOf(await eventsAfter(context, store)), [startMs, startMs, startMs + 1]);
  },
  'E5/received: the event of an arrival has its time as receivedAt': async (context) => {
    const { store } = await openTimed(context);
    await receive(context, store, 2);
    const told = (await eventsAfter(context, store)).map((event) => event.kind === 'transaction' && event.receivedAt);
    assert.deepEqual(told, [startMs, startMs]);
  },
  'E6/stale: what is in flight too long is told as aged by a block': async (context) => {
    const { store } = await openTimed(context);
    await store.markInflight([await receiveOne(context, store)]);
    for (const n of [1, 2]) await block(store, n);
    assert.deepEqual(causesOf(await eventsOf(context, store, () => block(store, 3))), ['Dropped block']);
  },
});

const arrivalVerbs = mustEach({
  'E6/taken: take and a sweep of its claim tell causes of their own': async (context) => {
    const { store, clock } = await openTimed(context);
    await receiveOne(context, store);
    await store.take({}, { owner: 'taker', claimMs: 50 });
    clock.nowMs += 51;
    await store.sweep();
    const told = ['Pending received', 'Propagated taken', 'Pending claim-ended'];
    assert.deepEqual(causesOf(await eventsAfter(context, store)), told);
  },
  'E6/flushed: flush tells its cause': async (context) => {
    const { store } = await openTimed(context);
    await receiveOne(context, store);
    assert.deepEqual(causesOf(await eventsOf(context, store, () => store.flush())), ['Dropped flushed']);
  },
}).map(needing('arrival-verbs'));

const onePool = eachOnPool({
  'E6/moves: each verb tells its cause': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.markInflight([hash]);
    await store.markAcknowledged([hash]);
    await store.release([hash]);
    const told = ['Pending received', 'Propagated marked', 'Acknowledged acknowledged', 'Pending released'];
    assert.deepEqual(causesOf(await eventsAfter(context, store)), told);
  },
  'E6/blocks: blocks tell what they named, what aged and what they undid': async (store, context) => {
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await block(store, 1);
    await store.markInflight([b]);
    const made = await eventsOf(context, store, async () => {
      await block(store, 2, { seen: [a], unseen: [b] });
      await store.rollback(point(1));
      await block(store, 3, { seen: [a] });
      await finalizeIn(store, 4, [b]);
    });
    const [first, ...rest] = causesOf(made);
    assert.deepEqual(
      [first, ...rest.slice(0, 3)],
      ['Confirmed seen', 'Pending unseen', 'Pending rolled-back', 'Confirmed seen'],
    );
    assert.deepEqual(rest.slice(3), ['Finalized block', 'Finalized seen']);
  },
  'E6/dropped: drop tells failed for that reason, and dropped for any other': async (store, context) => {
    const hashes = hashesOf(await receive(context, store, 3));
    const reasons: DropReason[] = ['failed', 'evicted', { app: 'failed' }];
    const made = await eventsOf(context, store, async () => {
      for (const [i, hash] of hashes.entries()) await store.drop([hash], reasons[i] as DropReason);
    });
    assert.deepEqual(causesOf(made), ['Dropped failed', 'Dropped dropped', 'Dropped dropped']);
  },
  'E6/reasons: a word of the pool and the same text of the application are read back as they were given': async (
    store,
    context,
  ) => {
    const hashes = hashesOf(await receive(context, store, 3));
    const reasons: DropReason[] = ['stale', { app: 'stale' }, { app: 'app:stale' }];
    for (const [i, hash] of hashes.entries()) await store.drop([hash], reasons[i] as DropReason);
    const statuses = await Promise.all(hashes.map((hash) => statusOf(store, hash)));
    assert.deepEqual(
      statuses.map(({ reason }) => reason),
      reasons,
    );
    assert.deepEqual(
      (await logEntries(store)).map(({ reason }) => reason),
      reasons,
    );
    const told = (await eventsAfter(context, store, 3)).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(told, reasons);
  },
});

/** Cases of E5 and E6: when and why. */
export const causeCases: readonly ConformanceCase[] = [...ownPools, ...arrivalVerbs, ...onePool];
