import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Mempool, Ordering } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, transactions } from '../chain.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { fails } from '../refusal.ts';

async function pool(ordering: Ordering = 'fifo') {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), ordering, timeoutMs: 4_000 });
  return { proxy, store };
}

const first = Array.from({ length: 20 }, (_, i) => i + 1);
const second = Array.from({ length: 20 }, (_, i) => i + 21);

/** Calls without waiting for one before the next, as an application does that keeps its own order. */
function burst(store: Mempool) {
  const received = first.map((n) => store.receive(transactions(n)));
  const marked = store.markInflight(first.map(hashOf));
  const more = second.map((n) => store.receive(transactions(n)));
  return { received: Promise.all([...received, ...more]), marked };
}

async function isInOrder({ received, marked }: ReturnType<typeof burst>): Promise<void> {
  const seqs = (await received).map(([outcome]) => outcome?.kind === 'received' && outcome.seq);
  expect(seqs).toEqual([...first, ...second]);
  expect(await marked).toEqual(first.map(hashOf));
}

test.for(['fifo', 'priority'] as const)(
  'M2: writes that are called while the server is away keep the order of the calls: %s',
  async (ordering) => {
    const { proxy, store } = await pool(ordering);
    proxy.down();
    const calls = burst(store);
    setImmediate(() => proxy.thaw());
    await isInOrder(calls);
  },
);

test('M2: writes whose answers were lost keep their order, and later ones wait behind them', async () => {
  const { proxy, store } = await pool();
  proxy.freeze();
  const lost = first.map((n) => store.receive(transactions(n)));
  proxy.thaw();
  const marked = store.markInflight(first.map(hashOf));
  const more = second.map((n) => store.receive(transactions(n)));
  await isInOrder({ received: Promise.all([...lost, ...more]), marked });
});

test('M2: a script that the server does not know yet is not overtaken by one that it knows', async () => {
  const { url } = await ownServer();
  const { store } = await openPool({ url });
  await store.markInflight([hashOf(1)]);
  await isInOrder(burst(store));
});

test('M2: writes to a pool that was flushed keep their order', async () => {
  const { url } = await ownServer();
  const { store } = await openPool({ url });
  await store.receive(transactions(1));
  await operator(url).flushall();
  await isInOrder(burst(store));
});

test('R3: abort takes a write that waits out of the line, and those behind it go on', async () => {
  const { proxy, store } = await pool();
  const controller = new AbortController();
  proxy.down();
  const calls = [1, 2].map((n) => store.receive(transactions(n)));
  await assert.rejects(store.tip({ signal: AbortSignal.timeout(20) }));
  const waiting = store.receive(transactions(3), { signal: controller.signal });
  const last = store.receive(transactions(4));
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  proxy.thaw();
  expect([...(await Promise.all(calls)), await last]).toMatchObject([[{ seq: 1 }], [{ seq: 2 }], [{ seq: 3 }]]);
  expect(await store.status([hashOf(3)])).toMatchObject([{ stage: 'Unknown' }]);
});

test('X5: a write that waits behind others fails in its own time, as not sent', async () => {
  const { proxy, store } = await pool();
  proxy.down();
  await assert.rejects(store.tip({ signal: AbortSignal.timeout(20) }));
  const calls = [1, 2, 3].map((n) => assert.rejects(store.receive(transactions(n)), fails('ERR_MEMPOOL_UNAVAILABLE')));
  await Promise.all(calls);
  proxy.thaw();
  expect(await store.receive(transactions(1))).toMatchObject([{ seq: 1 }]);
});

test('X5: a write whose answer was lost has an unknown outcome, whatever the next attempt finds', async () => {
  const { url } = await ownServer();
  const proxy = await ownProxy(url);
  const admin = operator(url);
  const { store } = await openPool({ url: proxy.url });
  await store.receive(transactions(9));
  const cut = proxy.cutNext('before the reply');
  const lost = store.receive(transactions(1));
  await cut;
  proxy.down();
  while (!(await admin.hexists('{mempool}:body', Buffer.from(hashOf(1), 'hex'))));
  await admin.flushall();
  await admin.set('{mempool}:idx', 'not ours');
  proxy.thaw();
  await assert.rejects(lost, fails('ERR_MEMPOOL_OUTCOME_UNKNOWN'));
});
