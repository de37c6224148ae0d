import assert from 'node:assert/strict';
import type { DropReason, StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { eachOnPool, openTimed, startMs } from '../../scenario/on-pool.ts';

function timesOf(events: readonly StoreEvent[]): (number | null)[] {
  return events.map(({ at }) => at);
}

/** The causes of the transactions' events. */
function causesOf(events: readonly StoreEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'transaction' ? [`${event.stage} ${event.cause}`] : []));
}

const ownPools = mustEach({
  'E5/one-time: all events of a call have one time, that of the pool’s clock': async (context) => {
    const pool = await openTimed(context);
    const hashes = await pool.receiveHashes(3);
    pool.clock.nowMs += 1_500;
    const made = await pool.eventsOf(() => pool.block(1, { seen: hashes }));
    assert.deepEqual(timesOf(made), Array(4).fill(startMs + 1_500));
  },
  'E5/never-back: the time of an event is never before that of the event before': async (context) => {
    const pool = await openTimed(context);
    await pool.receiveOne();
    pool.clock.nowMs -= 700;
    await pool.receiveOne();
    pool.clock.nowMs += 701;
    await pool.receiveOne();
    assert.deepEqual(timesOf(await pool.events()), [startMs, startMs, startMs + 1]);
  },
  'E5/received: the event of an arrival has its time as receivedAt': async (context) => {
    const pool = await openTimed(context);
    await pool.receive(2);
    const told = (await pool.events()).map((event) => event.kind === 'transaction' && event.receivedAt);
    assert.deepEqual(told, [startMs, startMs]);
  },
  'E6/stale: what is in flight too long is told as aged by a block': async (context) => {
    const pool = await openTimed(context, { dropThreshold: 3 });
    await pool.mark(await pool.receiveOne());
    for (const n of [1, 2]) await pool.block(n);
    assert.deepEqual(causesOf(await pool.eventsOf(() => pool.block(3))), ['Dropped block']);
  },
});

const arrivalVerbs = mustEach({
  'E6/taken: take and a sweep of its claim tell causes of their own': async (context) => {
    const pool = await openTimed(context);
    await pool.receiveOne();
    await pool.store.take({}, { owner: 'taker', claimMs: 50 });
    pool.clock.nowMs += 51;
    await pool.store.sweep();
    const told = ['Pending received', 'Propagated taken', 'Pending claim-ended'];
    assert.deepEqual(causesOf(await pool.events()), told);
  },
  'E6/flushed: flush tells its cause': async (context) => {
    const pool = await openTimed(context);
    await pool.receiveOne();
    assert.deepEqual(causesOf(await pool.eventsOf(() => pool.store.flush())), ['Dropped flushed']);
  },
}).map(needing('arrival-verbs'));

const onePool = eachOnPool({
  'E6/moves: each verb tells its cause': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.mark(hash);
    await pool.acknowledge(hash);
    await pool.release(hash);
    const told = ['Pending received', 'Propagated marked', 'Acknowledged acknowledged', 'Pending released'];
    assert.deepEqual(causesOf(await pool.events()), told);
  },
  'E6/blocks: blocks tell what they named, what aged and what they undid': async (pool) => {
    const [a, b] = await pool.receiveHashes(2);
    await pool.block(1);
    await pool.mark(b);
    const made = await pool.eventsOf(async () => {
      await pool.block(2, { seen: [a], unseen: [b] });
      await pool.rollback(1);
      await pool.block(3, { seen: [a] });
      await pool.finalizeIn(4, b);
    });
    const [first, ...rest] = causesOf(made);
    assert.deepEqual(
      [first, ...rest.slice(0, 3)],
      ['Confirmed seen', 'Pending unseen', 'Pending rolled-back', 'Confirmed seen'],
    );
    assert.deepEqual(rest.slice(3), ['Finalized block', 'Finalized seen']);
  },
  'E6/dropped: drop tells failed for that reason, and dropped for any other': async (pool, store) => {
    const hashes = await pool.receiveHashes(3);
    const reasons: DropReason[] = ['failed', 'evicted', { app: 'failed' }];
    const made = await pool.eventsOf(async () => {
      for (const [i, hash] of hashes.entries()) await store.drop([hash], reasons[i] as DropReason);
    });
    assert.deepEqual(causesOf(made), ['Dropped failed', 'Dropped dropped', 'Dropped dropped']);
  },
  'E6/reasons: a word of the pool and the same text of the application are read back as they were given': async (
    pool,
    store,
  ) => {
    const hashes = await pool.receiveHashes(3);
    const reasons: DropReason[] = ['stale', { app: 'stale' }, { app: 'app:stale' }];
    for (const [i, hash] of hashes.entries()) await store.drop([hash], reasons[i] as DropReason);
    const statuses = await Promise.all(hashes.map((hash) => pool.status(hash)));
    assert.deepEqual(
      statuses.map(({ reason }) => reason),
      reasons,
    );
    assert.deepEqual(
      (await pool.logEntries()).map(({ reason }) => reason),
      reasons,
    );
    const told = (await pool.events(3)).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(told, reasons);
  },
});

/** Cases of E5 and E6: when and why. */
export const causeCases: readonly ConformanceCase[] = [...ownPools, ...arrivalVerbs, ...onePool];
