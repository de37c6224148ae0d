import { type GossipPage, type Mempool, MempoolError, type Ordering, type PriorityMempool } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { answered, closed, hash, hashes, numbers, once, open, openPriority, pays, rest, transaction } from './tap.ts';

type Pages = AsyncIterator<GossipPage>;

const pagesOf = (gossip: AsyncIterable<GossipPage>): Pages => gossip[Symbol.asyncIterator]();
const items = (page: IteratorResult<GossipPage>): number[] => numbers(page.value?.items);

/** Reads pages until so many transactions have come. */
async function read(pages: Pages, count: number): Promise<number[]> {
  const heard: number[] = [];
  while (heard.length < count) heard.push(...items(await pages.next()));
  return heard;
}

const parent = (n: number) => pays(n, 0n, { provides: ['a'] });
const child = (n: number) => pays(n, 0n, { requires: ['a'] });

describe('gossip with a peer', () => {
  it('tells what is there and then what comes, in the order in which it became ready', async () => {
    const { pool } = await openPriority();
    await pool.receive([child(1), pays(2, 9n), pays(3, 10n)]);
    const pages = pagesOf(pool.gossip('ann'));
    expect(await read(pages, 2)).toEqual([2, 3]);
    const next = pages.next();
    expect(await answered(next)).toBe(false);
    await pool.submit(parent(4));
    expect(items(await next)).toEqual([4, 1]);
  });

  it('never hands back what that peer sent, and waits on without a turn for it', async () => {
    const { pool, calls } = await openPriority();
    await pool.submit(pays(1, 0n), { from: 'ann' });
    const gossip = pool.gossip('ann');
    const pages = pagesOf(gossip);
    const next = pages.next();
    await pool.submit(pays(2, 0n), { from: 'ann' });
    expect(await answered(next)).toBe(false);
    expect(gossip.cursor).toMatch(/^g2\./);
    const before = calls.length;
    await rest();
    expect(calls.length).toBe(before);
    await pool.submit(pays(3, 0n), { from: 'bob' });
    expect(items(await next)).toEqual([3]);
    const others = pagesOf(pool.gossip('bob'));
    expect(await read(others, 2)).toEqual([1, 2]);
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
    expect(await read(pagesOf(second), 3)).toEqual([3, 4, 5]);
  });

  it('begins at the origin, and there again if its cursor is of an earlier pool', async () => {
    const { pool } = await openPriority();
    const gossip = pool.gossip('ann', { after: 'g7.earlier' });
    expect([pool.gossip('ann').cursor, gossip.cursor]).toEqual(['origin', 'g7.earlier']);
    await pool.receive([pays(1, 0n), pays(2, 0n)]);
    expect(await read(pagesOf(gossip), 2)).toEqual([1, 2]);
  });

  it('tells what a new verdict of another process allows to propagate, which makes no event', async () => {
    const { pool, other: store, before, count } = await openPriority({ sweepEveryMs: Number.POSITIVE_INFINITY });
    await store.receive([pays(1, 0n, { propagate: false })]);
    const told = pagesOf(pool.gossip('ann')).next();
    expect(await answered(told)).toBe(false);
    // A look that only looks again survives an outage of the store.
    const looks = count('since');
    before('since', () => {
      if (count('since') === looks + 1) throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'out of reach');
    });
    // Another node makes the change.
    const revised = await store.revise([{ hash: hash(1), version: 1, answer: { priority: 0n } }]);
    expect(revised).toMatchObject([{ kind: 'revised' }]);
    expect(items(await told)).toEqual([1]);
  });

  it('leaves the payloads out where hashes are enough', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 7n));
    const { value } = await pagesOf(pool.gossip('ann', { hashesOnly: true })).next();
    expect(value?.items).toMatchObject([{ hash: hash(1), priority: 7n, payload: null }]);
    expect(await pool.payloads(hashes(1, 2))).toMatchObject([{ payload: Buffer.from([1, 1, 1]) }, null]);
  });

  it('misses nothing that comes between its look and its wait', async () => {
    const { pool, other: store, after } = await openPriority();
    let late = 0;
    after('since', async () => {
      late += 1;
      if (late > 3) return;
      await store.receive([pays(late, 0n)]);
      // Its event has come and gone before the answer does.
      await rest();
    });
    expect(await read(pagesOf(pool.gossip('ann')), 3)).toEqual([1, 2, 3]);
  });

  it('ends at once where its loop is left or its signal aborts, and many share one subscription', async () => {
    const { pool, count } = await openPriority();
    const stop = new AbortController();
    const left = pagesOf(pool.gossip('ann'));
    const stopped = pagesOf(pool.gossip('bob', { signal: stop.signal }));
    const [first, second] = [left.next(), stopped.next()];
    expect(await answered(Promise.race([first, second]))).toBe(false);
    await left.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(second).rejects.toBe(reason);
    expect(count('subscribe')).toBe(1);
  });

  it('ends with the pool', async () => {
    const { pool } = await openPriority();
    const waiting = pagesOf(pool.gossip('ann')).next();
    await rest();
    const ended = expect(waiting).rejects.toMatchObject(closed);
    await pool.close();
    await ended;
    const late = pagesOf(pool.gossip('ann')).next();
    await expect(late).rejects.toMatchObject(closed);
  });

  it('ends where the events do, and who comes later begins anew', async () => {
    const { pool, breakEvents } = await openPriority();
    await pool.submit(pays(1, 0n));
    const pages = pagesOf(pool.gossip('ann'));
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
    await expect(pages.next()).rejects.toMatchObject({ cause: reason });
  });

  it('needs a pool that keeps sources', async () => {
    const { pool } = await open<Ordering>();
    const untyped = pool as PriorityMempool;
    await expect(pagesOf(untyped.gossip('ann')).next()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED' });
  });
});

/** Ways by which something becomes ready, after `prepare`. */
const ways: Record<string, readonly [prepare: (store: Mempool) => unknown, ready: (store: Mempool) => unknown]> = {
  'is received': [() => undefined, (store) => store.receive([pays(1, 0n)])],
  'is given back': [(store) => take(store), (store) => store.release(hashes(1))],
  'was taken too long ago': [(store) => take(store, 1), (store) => store.sweep()],
};

async function take(store: Mempool, claimMs = 60_000): Promise<void> {
  await store.receive([pays(1, 0n)]);
  await store.take({}, { owner: 'miner', claimMs });
}

describe('waitForPending', () => {
  it.each(Object.keys(ways))('waits until one %s', async (way) => {
    const [prepare, ready] = ways[way] ?? [];
    const time = { nowMs: 1_000_000 };
    const { pool } = await openPriority({}, { now: () => time.nowMs });
    await prepare?.(pool);
    const waiting = pool.waitForPending();
    expect(await answered(waiting)).toBe(false);
    time.nowMs += 1_000;
    await ready?.(pool);
    await waiting;
    expect(await pool.hasPending()).toBe(true);
  });

  it('resolves at once where one is ready already, and in a pool in order of arrival too', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 0n));
    await pool.waitForPending();
    const { pool: arrivals } = await open();
    const waiting = arrivals.waitForPending();
    expect(await answered(waiting)).toBe(false);
    await arrivals.submit(transaction(1));
    await waiting;
  });

  it('resolves though another process has woken what was held back, and gossip goes on', async () => {
    const time = { nowMs: 1_000_000 };
    const { pool, other: store } = await openPriority(
      { sweepEveryMs: Number.POSITIVE_INFINITY },
      { now: () => time.nowMs },
    );
    await store.receive([pays(1, 0n)]);
    await store.markInflight(hashes(1));
    const { cursors } = await store.usage();
    await store.release(hashes(1), { notBeforeMs: time.nowMs + 100 });
    const waiting = pool.waitForPending();
    const told = pagesOf(pool.gossip('ann', { after: cursors.gossip })).next();
    expect(await answered(Promise.race([waiting, told]))).toBe(false);
    time.nowMs += 200;
    // Another node makes the change.
    expect((await store.sweep()).woken).toEqual(hashes(1));
    await waiting;
    expect(items(await told)).toEqual([1]);
  });

  it('does not resolve for a parked one, nor look without a reason', async () => {
    const { pool, count } = await openPriority();
    const waiting = pool.waitForPending();
    await pool.submit(child(1));
    expect(await answered(waiting)).toBe(false);
    const looks = count('usage');
    await rest();
    expect(count('usage')).toBe(looks);
    await pool.submit(parent(2));
    await waiting;
  });

  it('misses nothing that comes between its look and its wait', async () => {
    const { pool, other: store, after } = await openPriority({ sweepEveryMs: Number.POSITIVE_INFINITY });
    const arrive = once(async () => {
      await store.receive([pays(1, 0n)]);
      // Its event has come and gone before the answer does.
      await rest();
    });
    after('usage', arrive);
    await pool.waitForPending();
    expect(await pool.hasPending()).toBe(true);
  });

  it('ends with the signal’s reason, and with the pool', async () => {
    const { pool } = await openPriority();
    const stop = new AbortController();
    const reason = new Error('enough');
    const [aborted, closed] = [pool.waitForPending({ signal: stop.signal }), pool.waitForPending()];
    await rest();
    stop.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    const ended = expect(closed).rejects.toMatchObject(closed);
    await pool.close();
    await ended;
    await expect(pool.waitForPending()).rejects.toMatchObject(closed);
  });

  it('rejects with what the store says', async () => {
    const { pool, before } = await openPriority();
    const failure = new Error('no events');
    before('subscribe', () => Promise.reject(failure));
    await expect(pool.waitForPending()).rejects.toMatchObject({ cause: failure });
    before('subscribe', () => undefined);
    await pool.submit(pays(1, 0n));
    await pool.waitForPending();
  });
});
