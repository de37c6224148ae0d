import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { MempoolEvent } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { contentOf, gist, type Pool, take } from '../../scenario/pool.ts';
import { rejection } from '../../scenario/verb-call.ts';

interface Reading {
  /** The expected next event. */
  readonly next: number;
  readonly lags: number;
  readonly numbers: number[];
}

/** Reads up to the last event. Every number after `after` must be delivered or reported as missed, once and in order. */
async function readAll(store: TestedPool, stream: AsyncIterable<MempoolEvent>, after: number): Promise<Reading> {
  const { lastEventSeq } = await store.usage();
  const numbers: number[] = [];
  let next = after + 1;
  let lags = 0;
  for await (const event of stream) {
    if (event.kind === 'lagged') {
      lags += 1;
      assert.equal(lags, 1);
      next += event.missed;
    } else {
      assert.equal(event.eventSeq, next);
      numbers.push(event.eventSeq);
      next += 1;
    }
    if (next > lastEventSeq) break;
  }
  return { next, lags, numbers };
}

function iterate(stream: AsyncIterable<MempoolEvent>): AsyncIterator<MempoolEvent> {
  return stream[Symbol.asyncIterator]();
}

async function subscribed(context: CaseContext): Promise<[Pool, AsyncIterator<MempoolEvent>]> {
  const pool = await openPool(context);
  return [pool, iterate(await pool.subscribe())];
}

const onePool = eachOnPool({
  'E3/every-later-commit: every commit after the moment of subscribing is delivered': async (pool) => {
    await pool.receive(2);
    const stream = await pool.subscribe();
    const [a, b] = await pool.receiveHashes(2);
    await pool.mark(b);
    const events = await take(stream, 3);
    assert.deepEqual(events.map(gist), [`Pending ${a}`, `Pending ${b}`, `Propagated ${b}`]);
  },
  'E3/resume: a stream resumes after any event, without gap or duplicate': async (pool) => {
    const hashes = await pool.receiveHashes(7);
    await pool.mark(...hashes);
    await pool.blocks(1, 2);
    const all = await pool.events();
    for (const after of [0, 1, 6, 7, 10, 15, all.length - 1])
      assert.deepEqual(await pool.events(after), all.slice(after));
  },
  'E3/resume-inside-a-call: a stream resumes after an event in the middle of a call': async (pool) => {
    const hashes = await pool.receiveHashes(400);
    const events = await pool.events(123);
    assert.deepEqual(
      events.map(gist),
      hashes.slice(123).map((hash) => `Pending ${hash}`),
    );
  },
  'E3/live-and-resumed: a live stream and a resumed one deliver the same events': async (pool) => {
    const live = await pool.subscribe();
    const hashes = await pool.receiveHashes(3);
    await pool.drop(...hashes.slice(0, 1));
    await pool.block(1, { seen: hashes });
    const resumed = await pool.events();
    assert.deepEqual((await take(live, resumed.length)).map(contentOf), resumed);
  },
  'E3/at-the-end: a stream that resumes after the last event begins with the next one': async (pool) => {
    await pool.receive(3);
    const stream = await pool.subscribe({ after: await pool.cursor('events', 3) });
    const hash = await pool.receiveOne();
    assert.deepEqual((await take(stream, 1)).map(gist), [`Pending ${hash}`]);
  },
  'E3/ahead-of-the-pool: a stream from a number the pool has not reached tells a loss': async (pool) => {
    const stream = await pool.subscribe({ after: await pool.cursor('events', 3) });
    const hashes = await pool.receiveHashes(5);
    const [first, ...events] = await take(stream, 6);
    assert.equal(first?.kind, 'lagged');
    assert.deepEqual(
      events.map(gist),
      hashes.map((hash) => `Pending ${hash}`),
    );
  },
  'E3/thousands: a stream delivers thousands of events, more than any page': async (pool, store) => {
    for (let i = 0; i < 3; i++) await pool.receive(1_000);
    await pool.receive(123);
    const { numbers, lags } = await readAll(store, await pool.subscribe({ after: 'origin' }), 0);
    assert.deepEqual([numbers.length, lags], [3_123, 0]);
  },
  'E3/while-writing: a reader misses nothing while others write': async (pool) => {
    const stream = await pool.subscribe({ after: 'origin' });
    const writing = Array.from({ length: 60 }, () => pool.receive(5));
    const [events] = await Promise.all([take(stream, 300), ...writing]);
    assert.deepEqual(
      events.map((event) => event.kind === 'transaction' && event.eventSeq),
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
  },
  'E3/each-reader: each reader gets every event, at its own pace, as an object of its own': async (pool) => {
    const [fast, slow] = [await pool.subscribe(), await pool.subscribe()];
    await pool.blocks(1, 5);
    const events = await take(fast, 5);
    const first = structuredClone(events);
    for (const event of events) Reflect.set(event, 'kind', 'changed');
    await pool.blocks(6, 9);
    assert.deepEqual((await take(slow, 9)).slice(0, 5), first);
  },
  'E3/beyond-the-end: a reader ahead of the store gets lagged, then every event there is': async (pool) => {
    const hashes = await pool.receiveHashes(3);
    const stream = await pool.subscribe({ after: await pool.cursor('events', 1_000) });
    const events = await take(stream, 4);
    assert.deepEqual(events.map(gist), ['lagged 0', ...hashes.map((hash) => `Pending ${hash}`)]);
  },
  'E4/break: break ends a stream: it delivers nothing more': async (pool) => {
    const stream = await pool.subscribe();
    await pool.blocks(1, 4);
    await take(stream, 1);
    assert.deepEqual(await iterate(stream).next(), { done: true, value: undefined });
  },
  'E4/abort: an abort ends a waiting reader with the reason of the signal': async ({ store }) => {
    const controller = new AbortController();
    const iterator = iterate(await store.subscribe({ signal: controller.signal }));
    const waiting = rejection(iterator.next());
    const reason = new Error('enough');
    controller.abort(reason);
    assert.equal(await waiting, reason);
  },
  'E4/abort-at-once: after an abort nothing more is delivered, not even events that were ready': async (
    pool,
    store,
  ) => {
    const controller = new AbortController();
    const iterator = iterate(await store.subscribe({ signal: controller.signal }));
    await pool.blocks(1, 5);
    await iterator.next();
    const reason = new Error('enough');
    controller.abort(reason);
    assert.equal(await rejection(iterator.next()), reason);
  },
  'E4/close-delivers: a stream ends after the events of the calls that close waited for': async (pool, store) => {
    const stream = await pool.subscribe();
    const calls = [pool.receive(3), pool.receive(2), pool.block(1)];
    await Promise.all([...calls, store.close()]);
    const events: MempoolEvent[] = [];
    for await (const event of stream) events.push(event);
    assert.deepEqual(
      events.map((event) => event.kind !== 'lagged' && event.eventSeq),
      [1, 2, 3, 4, 5, 6],
    );
  },
});

const ownPools = mustEach({
  'E3/wakes-a-waiting-reader: a waiting reader gets the next commit': async (context) => {
    const [pool, iterator] = await subscribed(context);
    const waiting = iterator.next();
    const hash = await pool.receiveOne();
    const { value } = await waiting;
    assert.equal(value && gist(value), `Pending ${hash}`);
  },
  'E3/before-reading: commits between subscribing and the first read are delivered': async (context) => {
    const [pool, iterator] = await subscribed(context);
    await pool.blocks(1, 30);
    const numbers: unknown[] = [];
    for (let i = 0; i < 30; i++) {
      const { value } = await iterator.next();
      numbers.push(value?.kind !== 'lagged' && value?.eventSeq);
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
  },
  'E3/ahead-of-trimmed: a stream ahead of the pool reports all trimmed events as missed': async (context) => {
    const pool = await openPool(context, { maxEvents: 10 });
    await pool.blocks(1, 300);
    const [first, second] = await take(await pool.subscribe({ after: await pool.cursor('events', 1_000) }), 2);
    assert.ok(first?.kind === 'lagged' && second !== undefined && second.kind !== 'lagged');
    assert.equal(first.missed, second.eventSeq - 1);
  },
  'E3/wakes-every-reader: every waiting reader gets the next commit': async (context) => {
    const [pool, first] = await subscribed(context);
    const second = iterate(await pool.subscribe());
    const waiting = [first.next(), second.next()];
    await turn();
    const hash = await pool.receiveOne();
    const events = await Promise.all(waiting);
    assert.deepEqual(
      events.map(({ value }) => value && gist(value)),
      [`Pending ${hash}`, `Pending ${hash}`],
    );
  },
  'E3/kept: the last maxEvents events can be resumed from': async (context) => {
    const pool = await openPool(context, { maxEvents: 50 });
    await pool.blocks(1, 170);
    const { numbers, lags } = await readAll(
      pool.store,
      await pool.subscribe({ after: await pool.cursor('events', 120) }),
      120,
    );
    assert.deepEqual([numbers.length, lags], [50, 0]);
  },
  'E3/trimmed: if events were trimmed, the stream reports their exact number once, and goes on': async (context) => {
    const pool = await openPool(context, { maxEvents: 10 });
    await pool.blocks(1, 300);
    const { numbers, next } = await readAll(
      pool.store,
      await pool.subscribe({ after: await pool.cursor('events', 3) }),
      3,
    );
    assert.deepEqual([next, numbers.at(-1)], [301, 300]);
    assert.ok(numbers.length >= 10);
  },
  'E3/fell-behind: a reader that fell behind gets the number of missed events once': async (context) => {
    const pool = await openPool(context, { maxEvents: 10 });
    const stream = await pool.subscribe();
    await pool.blocks(1, 300);
    const { numbers, next } = await readAll(pool.store, stream, 0);
    assert.deepEqual([next, numbers.at(-1)], [301, 300]);
    assert.ok(numbers.length >= 10);
  },
  'E3/loss-is-not-the-end: a stream that lagged delivers what comes later': async (context) => {
    const pool = await openPool(context, { maxEvents: 10 });
    const iterator = iterate(await pool.subscribe({ after: await pool.cursor('events', 1) }));
    await pool.blocks(1, 120);
    for (let i = 0; i < 120; i++) {
      const { value } = await iterator.next();
      if (value?.kind !== 'lagged' && value?.eventSeq === 120) break;
    }
    const hash = await pool.receiveOne();
    const { value } = await iterator.next();
    assert.equal(value && gist(value), `Pending ${hash}`);
  },
  'E4/break-while-waiting: return ends the wait of a reader': async (context) => {
    const [, iterator] = await subscribed(context);
    const waiting = iterator.next();
    await iterator.return?.();
    assert.equal((await waiting).done, true);
  },
  'E4/others-go-on: the end of one stream leaves a reader of another waiting': async (context) => {
    const [pool, other] = await subscribed(context);
    const controller = new AbortController();
    await pool.store.subscribe({ signal: controller.signal });
    const waiting = other.next();
    await turn();
    controller.abort();
    const hash = await pool.receiveOne();
    const { value } = await waiting;
    assert.equal(value && gist(value), `Pending ${hash}`);
  },
  'E4/close-ends-waiting: close ends a stream that waits': async (context) => {
    const [pool, iterator] = await subscribed(context);
    const waiting = iterator.next();
    await pool.store.close();
    assert.deepEqual(await waiting, { done: true, value: undefined });
  },
});

export const streamCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
