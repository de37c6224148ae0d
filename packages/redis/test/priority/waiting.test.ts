import { randomUUID } from 'node:crypto';
import { encodeChange } from 'mempool-core/backend';
import { expect, inject, test, vi } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, operator, ownProxy } from '../own-server.ts';
import { start } from '../process.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

test('a block that takes long to plan is applied among nodes that write without a pause', {
  timeout: 120_000,
}, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs: 40_000 });
  const others = numbers(3).map((n) => start('./priority/admitter.ts', [url, pool, n * 300_000, 1_000_000]));
  await vi.waitFor(async () => expect((await store.usage()).pending).toBeGreaterThan(100), { timeout: 60_000 });
  const seen = numbers(150_000, 2_000_000).map(hashOf);
  expect(await store.confirm({ point: point(1), seen, unseen: [] })).toMatchObject({ kind: 'applied' });
  for (const other of others) expect(other.exitCode).toBe(null);
});

test('a read ends though others write all the time, with what was there at a moment since its call', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const [near, far] = [await ownProxy(url), await ownProxy(url)];
  const { store: reader } = await openPool({ url: far.url, pool, ordering: 'priority', timeoutMs: 10_000 });
  const { store: writer } = await openPool({ url: near.url, pool, ordering: 'priority' });
  near.slow(5);
  far.slow(60);
  let written = 0;
  let isDone = false;
  const writing = (async () => {
    for (; !isDone; written += 1) await writer.receive([priced(written + 1)]);
  })();
  const atLeast = written;
  const page = await reader.peekPending({ limit: 1_000 }).finally(() => (isDone = true));
  const found = page.transactions;
  await writing;
  expect(found.length).toBeGreaterThanOrEqual(atLeast);
  expect(found.length).toBeLessThanOrEqual(written);
  expect(found.map(({ hash }) => hash)).toEqual(numbers(found.length).map(hashOf));
});

test('records of different transactions are told apart, whatever their hashes and numbers', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  const of = (hash: string) => ({ hash, payload: Buffer.from(`of ${hash}`), payloadType: 0, verdict: {} });
  await store.receive([of('ab11'), ...numbers(109).map((n) => priced(n)), of('ab')]);
  const found = (await store.peekPending({ limit: 1_000 })).transactions.filter(({ hash }) => hash.length < 5);
  expect(found.map(({ hash, seq, payload }) => [hash, seq, Buffer.from(payload).toString()])).toEqual([
    ['ab11', 1, 'of ab11'],
    ['ab', 111, 'of ab'],
  ]);
});

test('a node that does nothing but write follows the clock of the server where its own has jumped', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  let aheadMs = 0;
  const clock = () => performance.now() + aheadMs;
  const { store } = await openPool({ url, pool, ordering: 'priority', clock });
  aheadMs = 3_600_000;
  await store.receive([priced(1)]);
  const { untilMs } = await store.take({}, { owner: 'me', claimMs: 1 });
  expect(Math.abs(untilMs - Date.now())).toBeLessThan(60_000);
});

test('a change of which only a part makes sense is not taken in part', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store: idle, lines } = await openPool({ url, pool, ordering: 'priority' });
  const { store: busy } = await openPool({ url, pool, ordering: 'priority' });
  await busy.receive([priced(1)]);
  const [admin, changes] = [operator(url), `{${pool}}:changes`];
  const [[id, [before]]] = (await admin.xrangeBuffer(changes, '-', '+')) as unknown as [[Buffer, [Buffer, Buffer]]];
  const nonsense = { entries: [], satisfied: [5] as never[], forgotten: [], limits: null, lastGossipSeq: 9 };
  await admin.del(changes);
  const change = encodeChange({ writes: [], chain: null, pool: nonsense, lastEventSeq: 1, at: 1 });
  await admin.xadd(changes, String(id), before, change);
  const linesBefore = lines.length;
  expect(await idle.reap()).toMatchObject([{ hash: hashOf(1) }]);
  expect(await idle.usage()).toEqual(await busy.usage());
  expect(lines.slice(linesBefore)).toMatchObject([{ level: 'warn' }]);
});

test('X5: a read behind a write that gets no answer has no more time than any other call', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const timeoutMs = 2_000;
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), ordering: 'priority', timeoutMs });
  // Its call ends when one that waited twice would.
  const twice = { url: proxy.url, pool: randomUUID(), ordering: 'priority', timeoutMs: 2 * timeoutMs } as const;
  const { store: patient } = await openPool(twice);
  proxy.freeze();
  let isOver = false;
  const ended = patient.usage().catch(() => (isOver = true));
  const written = expect(store.receive([priced(1)])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN' });
  const reads = [store.usage(), store.peekPending(), store.peekInflight(), store.status([hashOf(1)]), store.tip()];
  const answers = reads.map((read) => expect(read).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNAVAILABLE' }));
  await Promise.all([written, ...answers]);
  expect(isOver).toBe(false);
  await ended;
});

test('a node with a long way to the server catches up with others that write without a pause', {
  timeout: 120_000,
}, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const far = await ownProxy(url);
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  await store.receive(numbers(1_000, 5_000_000).map((n) => priced(n)));
  const others = numbers(2).map((n) => start('./priority/admitter.ts', [url, pool, n * 300_000, 1_000_000]));
  await vi.waitFor(async () => expect((await store.usage()).pending).toBeGreaterThan(1_100), { timeout: 60_000 });
  const node = mirrorNode(far.url, pool);
  far.slow(150);
  expect((await node.remembered()).entries.length).toBeGreaterThan(1_100);
  for (const other of others) expect(other.exitCode).toBe(null);
});

test('a pool that takes longer to read than a call may last is opened', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const far = await ownProxy(url);
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  for (const n of numbers(5)) await store.receive(numbers(1_000, 1_000 * n).map((each) => priced(each)));
  far.slow(600);
  const timeoutMs = 5_000;
  const began = performance.now();
  const { store: late } = await openPool({ url: far.url, pool, ordering: 'priority', timeoutMs });
  expect(await late.usage()).toEqual(await store.usage());
  expect(performance.now() - began).toBeGreaterThan(timeoutMs);
});
