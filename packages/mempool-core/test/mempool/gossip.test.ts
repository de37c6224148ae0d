import type { GossipPage, MempoolStore } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hashes, numbers, openPriority, pays } from './priority-tap.ts';
import { answered, block, hash, open, rest, transaction } from './tap.ts';

/** Reads pages until so many transactions have come. */
async function read(pages: AsyncIterator<GossipPage>, count: number): Promise<number[]> {
  const heard: number[] = [];
  while (heard.length < count) heard.push(...numbers((await pages.next()).value?.items ?? []));
  return heard;
}

const parent = (n: number) => pays(n, 0n, { provides: ['a'] });
const child = (n: number) => pays(n, 0n, { requires: ['a'] });

describe('gossip with a peer', () => {
  it('tells what is there and then what comes, in the order in which it became ready', async () => {
    const { pool } = await openPriority();
    await pool.receive([child(1), pays(2, 9n), pays(3, 10n)]);
    const pages = pool.gossip('ann')[Symbol.asyncIterator]();
    expect(await read(pages, 2)).toEqual([2, 3]);
    const next = pages.next();
    expect(await answered(next)).toBe(false);
    await pool.submit(parent(4));
    expect(numbers((await next).value?.items ?? [])).toEqual([4, 1]);
    await pool.close();
  });

  it('never hands back what that peer sent, and waits on without a turn for it', async () => {
    const { pool, calls } = await openPriority();
    await pool.submit(pays(1, 0n), { from: 'ann' });
    const gossip = pool.gossip('ann');
    const pages = gossip[Symbol.asyncIterator]();
    const next = pages.next();
    await pool.submit(pays(2, 0n), { from: 'ann' });
    expect(await answered(next)).toBe(false);
    expect(gossip.cursor).toBe(2);
    const before = calls.length;
    await rest();
    expect(calls.length).toBe(before);
    await pool.submit(pays(3, 0n), { from: 'bob' });
    expect(numbers((await next).value?.items ?? [])).toEqual([3]);
    const others = pool.gossip('bob')[Symbol.asyncIterator]();
    expect(await read(others, 2)).toEqual([1, 2]);
    await pool.close();
  });

  it('tells again what was gone from gossip and came back', async () => {
    const { pool } = await openPriority();
    await pool.receive([parent(1), child(2)]);
    const pages = pool.gossip('ann')[Symbol.asyncIterator]();
    expect(await read(pages, 2)).toEqual([1, 2]);
    await pool.drop(hash(1), 'unwanted');
    await pool.submit(parent(3));
    expect(await read(pages, 2)).toEqual([3, 2]);
    await pool.close();
  });

  it('keeps its place in one number: a later one goes on behind what was handled', async () => {
    const { pool } = await openPriority();
    await pool.receive([1, 2, 3, 4, 5].map((n) => pays(n, 0n)));
    const first = pool.gossip('ann', { limit: 2 });
    let pages = 0;
    for await (const page of first) {
      pages += 1;
      if (pages === 2) {
        expect(numbers(page.items)).toEqual([3, 4]);
        break;
      }
    }
    const second = pool.gossip('ann', { after: first.cursor });
    expect(await read(second[Symbol.asyncIterator](), 3)).toEqual([3, 4, 5]);
    await pool.close();
  });

  it('leaves the payloads out where hashes are enough', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 7n));
    const { value } = await pool.gossip('ann', { hashesOnly: true })[Symbol.asyncIterator]().next();
    expect(value?.items).toMatchObject([{ hash: hash(1), priority: 7n, payload: null }]);
    expect(await pool.payloads(hashes(1, 2))).toMatchObject([{ payload: Buffer.from([1, 1, 1]) }, null]);
    await pool.close();
  });

  it('misses nothing that comes between its look and its wait', async () => {
    const { pool, store, after } = await openPriority();
    let late = 0;
    after('since', async () => {
      late += 1;
      if (late > 3) return;
      await store.receive([pays(late, 0n)]);
      // Its event has come and gone before the answer does.
      await rest();
    });
    expect(await read(pool.gossip('ann')[Symbol.asyncIterator](), 3)).toEqual([1, 2, 3]);
    await pool.close();
  });

  it('ends at once where its loop is left or its signal aborts, and many share one subscription', async () => {
    const { pool, calls } = await openPriority();
    const stop = new AbortController();
    const left = pool.gossip('ann')[Symbol.asyncIterator]();
    const stopped = pool.gossip('bob', { signal: stop.signal })[Symbol.asyncIterator]();
    const [first, second] = [left.next(), stopped.next()];
    expect(await answered(Promise.race([first, second]))).toBe(false);
    await left.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(second).rejects.toBe(reason);
    expect(calls.filter((call) => call === 'subscribe')).toHaveLength(1);
    await pool.close();
  });

  it('ends with the pool', async () => {
    const { pool } = await openPriority();
    const waiting = pool.gossip('ann')[Symbol.asyncIterator]().next();
    await rest();
    const ended = expect(waiting).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    await pool.close();
    await ended;
    const late = pool.gossip('ann')[Symbol.asyncIterator]().next();
    await expect(late).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });

  it('ends where the events do, and who comes later begins anew', async () => {
    const { pool, breakEvents } = await openPriority();
    await pool.submit(pays(1, 0n));
    const pages = pool.gossip('ann')[Symbol.asyncIterator]();
    await pages.next();
    const reason = new Error('lost');
    const mend = breakEvents(reason);
    await pool.submit(pays(2, 0n));
    await pool.flush();
    await rest();
    mend();
    const waiting = pool.waitForPending();
    expect(await answered(waiting)).toBe(false);
    await pool.submit(pays(3, 0n));
    await waiting;
    expect(await read(pages, 1)).toEqual([3]);
    await expect(pages.next()).rejects.toBe(reason);
    await pool.close();
  });

  it('needs a peer, and a pool that keeps sources', async () => {
    const { pool } = await openPriority();
    const nobody = pool.gossip('')[Symbol.asyncIterator]().next();
    await expect(nobody).rejects.toMatchObject({ details: { field: 'peer' } });
    await pool.close();
    const { pool: arrivals } = await open();
    const page = arrivals.gossip('ann')[Symbol.asyncIterator]().next();
    await expect(page).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED' });
    await arrivals.close();
  });
});

/** Ways by which something becomes ready, after `prepare`. */
const ways: Record<
  string,
  readonly [prepare: (store: MempoolStore) => unknown, ready: (store: MempoolStore) => unknown]
> = {
  'is received': [() => undefined, (store) => store.receive([pays(1, 0n)])],
  'is given back': [(store) => take(store), (store) => store.release(hashes(1))],
  'was taken too long ago': [(store) => take(store, 1), (store) => store.sweep()],
  'finds its parent': [(store) => store.receive([child(1)]), (store) => confirmedParent(store)],
  'finds on the chain what it needs': [
    (store) => store.receive([child(1)]),
    (store) => store.confirm({ ...block(1), provides: ['a'] }),
  ],
  'is no longer seen': [
    async (store) => {
      await store.receive([pays(1, 0n)]);
      await store.confirm(block(1, 1));
    },
    (store) => store.rollback(null),
  ],
};

async function take(store: MempoolStore, leaseMs = 60_000): Promise<void> {
  await store.receive([pays(1, 0n)]);
  await store.take({}, { owner: 'miner', leaseMs });
}

/** It is never Pending itself: a block has it before it comes. */
async function confirmedParent(store: MempoolStore): Promise<void> {
  await store.confirm(block(1, 2));
  await store.receive([parent(2)]);
}

describe('waitForPending', () => {
  it.each(Object.keys(ways))('waits until one %s', async (way) => {
    const [prepare, ready] = ways[way] ?? [];
    const time = { nowMs: 1_000_000 };
    const { pool } = await openPriority({}, { now: () => time.nowMs });
    await prepare?.(pool.store);
    const waiting = pool.waitForPending();
    expect(await answered(waiting)).toBe(false);
    time.nowMs += 1_000;
    await ready?.(pool.store);
    await waiting;
    expect(await pool.hasPending()).toBe(true);
    await pool.close();
  });

  it('resolves at once where one is ready already, and in a pool in order of arrival too', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 0n));
    await pool.waitForPending();
    await pool.close();
    const { pool: arrivals } = await open();
    const waiting = arrivals.waitForPending();
    expect(await answered(waiting)).toBe(false);
    await arrivals.submit(transaction(1));
    await waiting;
    await arrivals.close();
  });

  it('does not resolve for a parked one, nor look without a reason', async () => {
    const { pool, calls } = await openPriority();
    const waiting = pool.waitForPending();
    await pool.submit(child(1));
    expect(await answered(waiting)).toBe(false);
    const looks = calls.filter((call) => call === 'hasPending').length;
    await rest();
    expect(calls.filter((call) => call === 'hasPending')).toHaveLength(looks);
    await pool.submit(parent(2));
    await waiting;
    await pool.close();
  });

  it('misses nothing that comes between its look and its wait', async () => {
    const { pool, store, after } = await openPriority();
    let looks = 0;
    after('hasPending', async () => {
      looks += 1;
      if (looks > 1) return;
      await store.receive([pays(1, 0n)]);
      // Its event has come and gone before the answer does.
      await rest();
    });
    await pool.waitForPending();
    expect(looks).toBe(2);
    await pool.close();
  });

  it('ends with the signal’s reason, and with the pool', async () => {
    const { pool } = await openPriority();
    const stop = new AbortController();
    const reason = new Error('enough');
    const [aborted, closed] = [pool.waitForPending({ signal: stop.signal }), pool.waitForPending()];
    await rest();
    stop.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    const ended = expect(closed).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    await pool.close();
    await ended;
    await expect(pool.waitForPending()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });

  it('rejects with what the store says', async () => {
    const { pool, before } = await openPriority();
    const failure = new Error('no events');
    before('subscribe', () => Promise.reject(failure));
    await expect(pool.waitForPending()).rejects.toBe(failure);
    before('subscribe', () => undefined);
    await pool.submit(pays(1, 0n));
    await pool.waitForPending();
    await pool.close();
  });
});
