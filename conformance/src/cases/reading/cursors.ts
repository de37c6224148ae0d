import assert from 'node:assert/strict';
import type { MempoolEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, Pool, placeOf, take } from '../../scenario/pool.ts';
import { refuses } from '../../scenario/verb-call.ts';

/** The same cursor, of a pool that this one is not. */
function ofAnother(cursor: string): string {
  return `${placeOf(cursor)}.another`;
}

function refusesCursor(call: Promise<unknown>, field: string): Promise<void> {
  return refuses(call, 'ERR_MEMPOOL_CURSOR', { field });
}

function lagOf([first]: readonly MempoolEvent[]): MempoolEvent & { readonly kind: 'lagged' } {
  assert.equal(first?.kind, 'lagged');
  return first as MempoolEvent & { readonly kind: 'lagged' };
}

async function epochOf(store: TestedPool): Promise<string> {
  const [tip, usage] = [await store.tip(), await store.usage()];
  assert.equal(tip.epoch, usage.epoch);
  return tip.epoch;
}

const onePool = eachOnPool({
  'O7/page-of-another-pool: a cursor of another pool is refused for pages and for the log': async (pool, store) => {
    const hashes = await pool.receiveHashes(3);
    await pool.mark(...hashes.slice(1));
    await pool.drop(...hashes.slice(2));
    const { next } = await store.peekPending();
    for (const peek of ['peekPending', 'peekInflight'] as const)
      await refusesCursor(store[peek]({ after: ofAnother(next) }), 'after');
    const { cursor } = await store.dumpFinalized();
    await refusesCursor(store.dumpFinalized({ cursor: ofAnother(cursor) }), 'cursor');
  },
  'O7/stream-of-another-pool: a stream is told that the pool was made anew, then every event': async (pool) => {
    const hashes = await pool.receiveHashes(3);
    const after = ofAnother(await pool.cursor('events', 2));
    const events = await take(await pool.subscribe({ after }), 4);
    const { missed, restarted } = lagOf(events);
    assert.deepEqual([missed, restarted], [0, true]);
    assert.deepEqual(
      events.slice(1).map((event) => event.kind === 'transaction' && event.hash),
      hashes,
    );
  },
  'O7/lost-is-not-restarted: events that were lost in the same pool are no new pool': async (pool) => {
    await pool.receive(3);
    const after = await pool.cursor('events', 1_000);
    const { restarted } = lagOf(await take(await pool.subscribe({ after }), 1));
    assert.equal(restarted, false);
  },
  'O7/lagged-cursor: a stream resumes behind the loss that it reported': async (pool) => {
    const hash = await pool.receiveOne();
    const after = ofAnother(await pool.cursor('events', 1));
    const lag = lagOf(await take(await pool.subscribe({ after }), 1));
    const [next] = await take(await pool.subscribe({ after: lag.cursor }), 1);
    assert.equal(next?.kind === 'transaction' && next.hash, hash);
  },
  'O7/origin: origin is the beginning of pages, log and events': async (pool, store) => {
    const hashes = await pool.receiveHashes(3);
    await pool.mark(...hashes.slice(1, 2));
    await pool.drop(...hashes.slice(2));
    for (const peek of ['peekPending', 'peekInflight'] as const)
      assert.deepEqual(await store[peek]({ after: 'origin' }), await store[peek]());
    assert.deepEqual(await store.dumpFinalized({ cursor: 'origin' }), await store.dumpFinalized());
    const [first] = await take(await pool.subscribe({ after: 'origin' }), 1);
    assert.equal(first?.kind === 'transaction' && first.eventSeq, 1);
  },
});

const renewed = mustEach({
  'O7/made-anew: after a pool was made anew, streams tell it once, and cursors of pages and the log are refused':
    async (context) => {
      const before = await openPool(context);
      const hashes = await before.receiveHashes(3);
      await before.mark(...hashes.slice(1));
      await before.drop(...hashes.slice(2));
      const { cursors } = await before.store.usage();
      const [{ next: pending }, { next: inflight }] = [
        await before.store.peekPending(),
        await before.store.peekInflight(),
      ];
      const live = await before.subscribe();
      const pool = new Pool(context, await context.renew(before.store));
      const told = await pool.receiveHashes(4);
      const resumed = await pool.subscribe({ after: cursors.events });
      for (const stream of pool.store === before.store ? [live, resumed] : [resumed]) {
        const events = await take(stream, 5);
        const { missed, restarted } = lagOf(events);
        assert.deepEqual([missed, restarted], [0, true]);
        assert.deepEqual(
          events.slice(1).map((event) => event.kind === 'transaction' && event.hash),
          told,
        );
      }
      await refusesCursor(pool.store.peekPending({ after: pending }), 'after');
      await refusesCursor(pool.store.peekInflight({ after: inflight }), 'after');
      await refusesCursor(pool.store.dumpFinalized({ cursor: cursors.log }), 'cursor');
      assert.deepEqual(hashesOf((await pool.store.peekPending()).transactions), told);
    },
}).map(needing('renew'));

const renewedGossip = eachFifo({
  'O7/gossip-made-anew: after a pool was made anew, cursors of its gossip are refused': async (context) => {
    const before = await openPool(context);
    await before.receive(3);
    const { next } = await before.store.since();
    const pool = new Pool(context, await context.renew(before.store));
    const told = await pool.receiveHashes(4);
    await refusesCursor(pool.store.since({ after: next }), 'after');
    assert.deepEqual(hashesOf((await pool.store.since()).items), told);
  },
}).map(needing('renew'));

const gossip = eachFifo({
  'O7/gossip-of-another-pool: a gossip cursor of another pool is refused': async (context) => {
    const pool = await openPool(context);
    await pool.receive(2);
    const { next } = await pool.store.since();
    await refusesCursor(pool.store.since({ after: ofAnother(next) }), 'after');
    const { cursors } = await pool.store.usage();
    assert.equal(cursors.gossip, next);
    assert.deepEqual(await pool.store.since({ after: 'origin', limit: 1 }), await pool.store.since({ limit: 1 }));
  },
});

const durable = mustEach({
  'O7/reopened: a pool that is opened again has its epoch, and takes its cursors': async (context) => {
    const first = await openPool(context);
    const [, last = ''] = await first.receiveHashes(2);
    const epoch = await epochOf(first.store);
    const { next } = await first.store.peekPending({ limit: 1 });
    await first.store.close();
    const pool = await openPool(context);
    assert.equal(await epochOf(pool.store), epoch);
    assert.deepEqual(hashesOf((await pool.store.peekPending({ after: next })).transactions), [last]);
  },
}).map(needing('durable'));

/** O7. */
export const cursorCases: readonly ConformanceCase[] = [
  ...onePool,
  ...renewed,
  ...gossip,
  ...renewedGossip,
  ...durable,
];
