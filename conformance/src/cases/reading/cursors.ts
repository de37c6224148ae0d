import assert from 'node:assert/strict';
import { isMempoolError, type MempoolEvent, type MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, eachOnPool, mustEach, needing } from '../../case/must.ts';
import {
  block,
  contentOf,
  cursorAt,
  eventsAfter,
  hashesOf,
  placeOf,
  receive,
  receiveOne,
  take,
} from '../../scenario/pool.ts';

/** The same cursor, of a pool that this one is not. */
function ofAnother(cursor: string): string {
  return `${placeOf(cursor)}.another`;
}

async function refusesCursor(call: Promise<unknown>, field: string): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CURSOR'), `not ERR_MEMPOOL_CURSOR: ${error}`);
    assert.equal(error.details.field, field);
    return true;
  });
}

function lagOf([first]: readonly MempoolEvent[]): MempoolEvent & { readonly kind: 'lagged' } {
  assert.equal(first?.kind, 'lagged');
  return first as MempoolEvent & { readonly kind: 'lagged' };
}

async function epochOf(store: MempoolStore): Promise<string> {
  const [tip, usage] = [await store.tip(), await store.usage()];
  assert.equal(tip.epoch, usage.epoch);
  return tip.epoch;
}

const onePool = eachOnPool({
  'O7/page-of-another-pool: a cursor of another pool is refused for pages and for the log': async (store, context) => {
    const hashes = hashesOf(await receive(context, store, 3));
    await store.markInflight(hashes.slice(1));
    await store.drop(hashes.slice(2), 'failed');
    const { next } = await store.peekPending();
    for (const peek of ['peekPending', 'peekInflight'] as const)
      await refusesCursor(store[peek]({ after: ofAnother(next) }), 'after');
    const { cursor } = await store.dumpFinalized();
    await refusesCursor(store.dumpFinalized({ cursor: ofAnother(cursor) }), 'cursor');
  },
  'O7/stream-of-another-pool: a stream is told that the pool was made anew, then every event': async (
    store,
    context,
  ) => {
    const hashes = hashesOf(await receive(context, store, 3));
    const after = ofAnother(await cursorAt(store, 'events', 2));
    const events = await take(await store.subscribe({ after, signal: context.signal }), 4);
    const { missed, restarted } = lagOf(events);
    assert.deepEqual([missed, restarted], [0, true]);
    assert.deepEqual(
      events.slice(1).map((event) => event.kind === 'transaction' && event.hash),
      hashes,
    );
  },
  'O7/lost-is-not-restarted: events that were lost in the same pool are no new pool': async (store, context) => {
    await receive(context, store, 3);
    const after = await cursorAt(store, 'events', 1_000);
    const { restarted } = lagOf(await take(await store.subscribe({ after, signal: context.signal }), 1));
    assert.equal(restarted, false);
  },
  'O7/event-cursors: a stream resumes behind the cursor of any event': async (store, context) => {
    await receive(context, store, 2);
    await block(store, 1);
    const all = await take(await store.subscribe({ after: 'origin', signal: context.signal }), 3);
    await receiveOne(context, store);
    for (const [i, { cursor: after }] of all.entries()) {
      const [next] = await take(await store.subscribe({ after, signal: context.signal }), 1);
      assert.ok(next);
      assert.deepEqual([contentOf(next)], (await eventsAfter(context, store)).slice(i + 1, i + 2));
    }
  },
  'O7/lagged-cursor: a stream resumes behind the loss that it reported': async (store, context) => {
    const hash = await receiveOne(context, store);
    const after = ofAnother(await cursorAt(store, 'events', 1));
    const lag = lagOf(await take(await store.subscribe({ after, signal: context.signal }), 1));
    const [next] = await take(await store.subscribe({ after: lag.cursor, signal: context.signal }), 1);
    assert.equal(next?.kind === 'transaction' && next.hash, hash);
  },
  'O7/ends: behind the cursors of usage comes what happens later, and nothing else': async (store, context) => {
    const [old = ''] = hashesOf(await receive(context, store, 2));
    await store.drop([old], 'failed');
    const { cursors } = await store.usage();
    const stream = await store.subscribe({ after: cursors.events, signal: context.signal });
    assert.deepEqual((await store.dumpFinalized({ cursor: cursors.log })).entries, []);
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    const [event] = await take(stream, 1);
    assert.equal(event?.kind === 'transaction' && event.hash, hash);
    assert.deepEqual(hashesOf((await store.dumpFinalized({ cursor: cursors.log })).entries), [hash]);
  },
  'O7/origin: origin is the beginning of pages, log and events': async (store, context) => {
    const hashes = hashesOf(await receive(context, store, 3));
    await store.markInflight(hashes.slice(1, 2));
    await store.drop(hashes.slice(2), 'failed');
    for (const peek of ['peekPending', 'peekInflight'] as const)
      assert.deepEqual(await store[peek]({ after: 'origin' }), await store[peek]());
    assert.deepEqual(await store.dumpFinalized({ cursor: 'origin' }), await store.dumpFinalized());
    const [first] = await take(await store.subscribe({ after: 'origin', signal: context.signal }), 1);
    assert.equal(first?.kind === 'transaction' && first.eventSeq, 1);
  },
});

const ownPools = mustEach({
  'O7/each-pool: each pool has an epoch of its own': async (context) => {
    const epochs = [await epochOf(await context.open()), await epochOf(await context.openOther())];
    assert.notEqual(epochs[0], epochs[1]);
  },
});

const renewed = mustEach({
  'O7/made-anew: after a pool was made anew, streams tell it once, and cursors of pages and the log are refused':
    async (context) => {
      const before = await context.open();
      const hashes = hashesOf(await receive(context, before, 3));
      await before.markInflight(hashes.slice(1));
      await before.drop(hashes.slice(2), 'failed');
      const { cursors } = await before.usage();
      const [{ next: pending }, { next: inflight }] = [await before.peekPending(), await before.peekInflight()];
      const live = await before.subscribe({ signal: context.signal });
      const store = await context.renew(before);
      const told = await receive(context, store, 4);
      const resumed = await store.subscribe({ after: cursors.events, signal: context.signal });
      for (const stream of store === before ? [live, resumed] : [resumed]) {
        const events = await take(stream, 5);
        const { missed, restarted } = lagOf(events);
        assert.deepEqual([missed, restarted], [0, true]);
        assert.deepEqual(
          events.slice(1).map((event) => event.kind === 'transaction' && event.hash),
          hashesOf(told),
        );
      }
      await refusesCursor(store.peekPending({ after: pending }), 'after');
      await refusesCursor(store.peekInflight({ after: inflight }), 'after');
      await refusesCursor(store.dumpFinalized({ cursor: cursors.log }), 'cursor');
      assert.deepEqual(hashesOf((await store.peekPending()).transactions), hashesOf(told));
    },
}).map(needing('renew'));

const renewedGossip = eachFifo({
  'O7/gossip-made-anew: after a pool was made anew, cursors of its gossip are refused': async (context) => {
    const before = await context.open();
    await receive(context, before, 3);
    const { next } = await before.since();
    const store = await context.renew(before);
    const told = await receive(context, store, 4);
    await refusesCursor(store.since({ after: next }), 'after');
    assert.deepEqual(hashesOf((await store.since()).items), hashesOf(told));
  },
}).map(needing('renew'));

const gossip = eachFifo({
  'O7/gossip-of-another-pool: a gossip cursor of another pool is refused': async (context) => {
    const store = await context.open();
    await receive(context, store, 2);
    const { next } = await store.since();
    await refusesCursor(store.since({ after: ofAnother(next) }), 'after');
    const { cursors } = await store.usage();
    assert.equal(cursors.gossip, next);
    assert.deepEqual(await store.since({ after: 'origin', limit: 1 }), await store.since({ limit: 1 }));
  },
});

const durable = mustEach({
  'O7/reopened: a pool that is opened again has its epoch, and takes its cursors': async (context) => {
    const first = await context.open();
    const [, last = ''] = hashesOf(await receive(context, first, 2));
    const epoch = await epochOf(first);
    const { next } = await first.peekPending({ limit: 1 });
    await first.close();
    const store = await context.open();
    assert.equal(await epochOf(store), epoch);
    assert.deepEqual(hashesOf((await store.peekPending({ after: next })).transactions), [last]);
  },
}).map(needing('durable'));

/** O7. */
export const cursorCases: readonly ConformanceCase[] = [
  ...onePool,
  ...ownPools,
  ...renewed,
  ...gossip,
  ...renewedGossip,
  ...durable,
];
