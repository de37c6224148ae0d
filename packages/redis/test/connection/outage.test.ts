import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Mempool, MempoolEvent } from 'mempool-core';
import { redis, redisElection } from 'mempool-redis';
import { durable, freePort } from 'mempool-testkit';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { openOptions } from '../election/node.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { fails } from '../refusal.ts';

/** Of a store that is to work again: to connect anew takes some of it, and on a loaded machine a good part. */
const timeoutMs = 4_000;

/** Reads a stream into a list and tells when it holds so many events. */
async function follow(store: Mempool, after?: string) {
  const events: MempoolEvent[] = [];
  let wake = () => {};
  const stream = await store.subscribe({ after });
  const ended = (async () => {
    for await (const event of stream) {
      events.push(event);
      wake();
    }
  })();
  const holds = async (count: number) => {
    while (events.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { events, holds, ended };
}

function eventSeqs(events: readonly MempoolEvent[]): number[] {
  return events.map((event) => (event.kind === 'lagged' ? Number.NaN : event.eventSeq));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test('X5: open of a server that is not there fails as unavailable within the time given', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  const began = performance.now();
  await assert.rejects(redis.open({ url, timeoutMs: 300 }), fails('ERR_MEMPOOL_UNAVAILABLE'));
  // Not after the five seconds that an open has by default.
  expect(performance.now() - began).toBeLessThan(4_500);
});

test('X5: a call while the server is away is unavailable, and works again when it is back', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs });
  proxy.down();
  await assert.rejects(store.usage(), fails('ERR_MEMPOOL_UNAVAILABLE'));
  await assert.rejects(store.receive(transactions(1)), fails('ERR_MEMPOOL_UNAVAILABLE'));
  proxy.thaw();
  expect(await store.receive(transactions(1))).toMatchObject([{ kind: 'received', seq: 1 }]);
});

test('X5: a call that was sent and never answered has an unknown outcome, and its id tells it later', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs });
  proxy.freeze();
  const lost = store.receive(transactions(1), { operationId: 'first' });
  await assert.rejects(lost, fails('ERR_MEMPOOL_OUTCOME_UNKNOWN'));
  proxy.thaw();
  expect(await store.receive(transactions(1), { operationId: 'first' })).toMatchObject([{ kind: 'received' }]);
  expect(await store.usage()).toMatchObject({ pending: 1, lastEventSeq: 1 });
});

test('O5: a read that is not answered rejects as unavailable', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs: 300 });
  proxy.freeze();
  await assert.rejects(store.hasPending(), fails('ERR_MEMPOOL_UNAVAILABLE'));
});

test('R3: abort ends a call that waits for the server, and the pool is untouched', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs });
  proxy.down();
  await assert.rejects(store.usage(), fails('ERR_MEMPOOL_UNAVAILABLE'));
  const controller = new AbortController();
  const waiting = store.receive(transactions(1), { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  proxy.thaw();
  expect(await store.usage()).toMatchObject({ pending: 0, lastEventSeq: 0 });
});

test('E4: a stream goes on by itself after its connection was lost, without gap or repeat', async () => {
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  const pool = randomUUID();
  const { store: writer } = await openPool({ url, pool });
  const { store: reader } = await openPool({ url: proxy.url, pool });
  const { events, holds } = await follow(reader);
  for (const n of range(1, 10)) {
    await writer.receive(transactions(2 * n));
    proxy.down();
    await writer.receive(transactions(2 * n + 1));
    proxy.thaw();
    await holds(2 * n);
  }
  assert.deepEqual(eventSeqs(events), range(1, 20));
});

test('X2, D1: a server killed with -9 ten times under load loses and doubles nothing, and streams go on', async () => {
  const server = await ownServer(...durable);
  const { store } = await openPool({ url: server.url, timeoutMs: 30_000, maxFinalized: 100_000 });
  const { store: other } = await openPool({ url: server.url, timeoutMs: 30_000 });
  const { events, holds } = await follow(other, 'origin');
  let kills = 0;
  let stopped = false;
  const killing = (async () => {
    for (let goal = 200; kills < 10; goal += 200) {
      await holds(goal);
      await server.restart();
      kills += 1;
    }
    stopped = true;
  })();
  const outcomes: string[] = [];
  const load = async (worker: number) => {
    for (let n = worker; !stopped; n += 4) {
      const [outcome] = await store.receive([transaction(n)]);
      outcomes.push(`${outcome?.kind} ${outcome?.hash}`);
    }
  };
  await Promise.all([...range(1, 4).map(load), killing]);
  const { pending, lastEventSeq } = await store.usage();
  await holds(lastEventSeq);
  expect(kills).toBe(10);
  expect(outcomes.filter((outcome) => !outcome.startsWith('received '))).toEqual([]);
  expect(new Set(outcomes).size).toBe(outcomes.length);
  expect([pending, lastEventSeq]).toEqual([outcomes.length, outcomes.length]);
  assert.deepEqual(eventSeqs(events), range(1, lastEventSeq));
});

test('E4: a connection for events that is silent, while calls are answered, is made anew', async () => {
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  const pool = randomUUID();
  const { store } = await openPool({ url: proxy.url, pool, timeoutMs: 30_000 });
  const { events, holds } = await follow(store);
  await store.receive(transactions(1));
  await holds(1);
  proxy.silence('$5\r\nxread');
  await store.receive(transactions(2));
  await store.usage();
  const began = performance.now();
  await holds(2);
  // Not after the time that a call may take, nor the six seconds that were waited for once.
  expect(performance.now() - began).toBeLessThan(5_500);
  assert.deepEqual(eventSeqs(events), [1, 2]);
});

test('X5: a connection that swallows the password is given up, and the next one is used', async () => {
  const server = await ownServer('--requirepass', 'secret');
  const proxy = await ownProxy(server.url.replace('//', '//:secret@'));
  proxy.silenceNext('auth');
  await assert.rejects(redis.open({ url: proxy.url, timeoutMs: 200 }), fails('ERR_MEMPOOL_UNAVAILABLE'));
  const { store } = await openPool({ url: proxy.url, timeoutMs });
  proxy.silenceNext('auth');
  await operator(server.url.replace('//', '//:secret@')).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expect.poll(() => store.usage().catch(() => null)).toMatchObject({ pending: 0 });
});

test('E3: a pool flushed under its nodes is made anew, and a stream says once that it lagged', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: server.url, maxFinalized: 7 });
  await store.receive(transactions(1, 2));
  const { events, holds } = await follow(store);
  await operator(server.url).flushall();
  expect(await store.receive(transactions(3))).toMatchObject([{ kind: 'received', seq: 1 }]);
  await holds(2);
  expect(events).toMatchObject([
    { kind: 'lagged', missed: 0 },
    { kind: 'transaction', eventSeq: 1, hash: hashOf(3) },
  ]);
});

test('a server that forgot its scripts is given them again', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: server.url });
  await store.receive(transactions(1));
  await operator(server.url).script('FLUSH');
  expect(await store.receive(transactions(1, 2))).toMatchObject([{ kind: 'duplicate' }, { kind: 'received' }]);
  expect(await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] })).toMatchObject({ confirmed: 1 });
});

test('X5: the longest time there is does not end at once', async () => {
  // However long the script takes, nobody is told that the server is busy.
  const { url } = await ownServer('--lua-time-limit', '0');
  const admin = operator(url);
  const connections = async () => /total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1];
  const { store } = await openPool({ url, timeoutMs: Number.MAX_SAFE_INTEGER });
  const before = await connections();
  const busy = admin.eval('for i = 1, 20000000 do end return 1', 0);
  await Promise.all([store.receive(transactions(1)), store.usage(), busy]);
  expect(await connections()).toBe(before);
});

test('R2: close ends although the server is away and a stream is open', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const store = await redis.open({ url: proxy.url, pool: randomUUID(), timeoutMs: 300 });
  const { ended } = await follow(store);
  proxy.down();
  const began = performance.now();
  await store.close();
  await ended;
  // Not after the six seconds that a waiting read of events may last.
  expect(performance.now() - began).toBeLessThan(5_000);
});

/** What goes to the console or is a warning of the process while a test runs. */
function noise(): string[] {
  const heard: string[] = [];
  for (const method of ['error', 'warn', 'log'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...words) => void heard.push(words.join(' ')));
    onTestFinished(() => spy.mockRestore());
  }
  const warned = (warning: Error) => void heard.push(String(warning));
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  return heard;
}

/** Warnings come a turn of the event loop later. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many calls that time out together say nothing but their errors', async () => {
  const heard = noise();
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs: 400 });
  const election = await redisElection.open(
    openOptions({ url: proxy.url, pool: randomUUID(), ttlMs: 250, commandTimeoutMs: 100 }),
  );
  onTestFinished(() => election.close());
  proxy.freeze();
  const calls = Array.from({ length: 20 }, () => [store.usage(), election.observe()]).flat();
  await Promise.all(calls.map((call) => assert.rejects(call)));
  await assert.rejects(election.observe());
  await turn();
  expect(heard).toEqual([]);
});
