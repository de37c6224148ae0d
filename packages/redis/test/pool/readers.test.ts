import type { Redis } from 'ioredis';
import type { Mempool } from 'mempool-core';
import type { RedisOptions } from 'mempool-redis';
import { expect, test } from 'vitest';
import { point, transactions } from '../chain.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { numbers } from '../priority/priced.ts';
import { Follower } from './follower.ts';

// Many stores of one process follow one pool: their streams share a connection that waits for events.

const timeoutMs = 30_000;

async function followers(count: number, options: RedisOptions): Promise<Follower[]> {
  const stores = await Promise.all(numbers(count).map(() => openPool({ timeoutMs, ...options })));
  return Promise.all(stores.map(({ store }) => Follower.of(store)));
}

/** A writer whose transactions have ever new numbers. */
async function writerOf(url: string) {
  const { store } = await openPool({ url, timeoutMs });
  let last = 0;
  const write = async (count: number): Promise<void> => {
    for (const _ of numbers(count)) await store.receive(transactions(++last));
  };
  return { store, write };
}

/** All events that the pool has. */
async function events(store: Mempool): Promise<string[]> {
  const { lastEventSeq } = await store.usage();
  const controller = new AbortController();
  const follower = await Follower.of(store, { after: 'origin', signal: controller.signal });
  await follower.until(({ heard }) => heard.length >= lastEventSeq);
  controller.abort();
  return follower.heard;
}

/** Resolves when each follower has heard exactly these events since it last lost any. */
async function haveAll(all: readonly Follower[], due: readonly string[]): Promise<void> {
  await Promise.all(all.map((one) => one.until(({ sinceLoss }) => sinceLoss.at(-1) === due.at(-1))));
  for (const { sinceLoss } of all) expect(sinceLoss).toEqual(due);
}

/** The connections of a server that wait for entries of a stream. */
async function waiting(url: string): Promise<string[]> {
  const list = String(await operator(url).client('LIST'));
  return [...list.matchAll(/^id=(\d+) .* cmd=xread /gm)].map(([, id]) => id as string);
}

async function scriptCalls(url: string): Promise<number> {
  const info = await operator(url).info('commandstats');
  return [...info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

test('E4: ten streams of a store cost the server one connection, and one script for an event', async () => {
  const { url } = await ownServer();
  const { store, write } = await writerOf(url);
  const { store: reader } = await openPool({ url, timeoutMs });
  const all = await Promise.all(numbers(10).map(() => Follower.of(reader)));
  await write(5);
  await haveAll(all, await events(store));
  expect(await waiting(url)).toHaveLength(1);
  const before = await scriptCalls(url);
  const began = performance.now();
  await write(300);
  await Promise.all(all.map((one) => one.until(({ heard }) => heard.length === 305)));
  // The write, the page, and the empty page after it. Each store asks the server for the end of the log once a second.
  const looks = 2 * (2 + (performance.now() - began) / 1_000);
  expect((await scriptCalls(url)) - before).toBeLessThan(3 * 300 + looks);
  await haveAll(all, await events(store));
});

test('E3: ten streams follow a pool that is flushed and made anew, forty times, and none stands still', async () => {
  const { url } = await ownServer();
  const { store, write } = await writerOf(url);
  const all = await followers(10, { url });
  const admin = operator(url);
  let flushes = 0;
  const flush = async (): Promise<void> => {
    await admin.flushall();
    flushes += 1;
  };
  for (let round = 1; round <= 40; round += 1) {
    await write(1 + (round % 7));
    // Some are flushed while streams still read.
    if (round % 4 > 0) await haveAll(all, await events(store));
    await flush();
    if (round % 5 === 0) {
      await write(2);
      await flush();
    }
    // The new pool has fewer events, or as many, or has overtaken the old one.
    await write(1 + ((3 * round) % 11));
    await haveAll(all, await events(store));
    for (const { losses } of all) expect(losses).toBeLessThanOrEqual(flushes);
  }
  for (const { heard, losses } of all) {
    expect(losses).toBeGreaterThanOrEqual(40);
    expect(heard).not.toContain('lagged');
  }
}, 120_000);

test('E3: late pages of two pools, each created again, repeat no event', async () => {
  const { url } = await ownServer();
  const proxy = await ownProxy(url);
  const { store, write } = await writerOf(url);
  const { store: reader } = await openPool({ url: proxy.url, timeoutMs });
  const first = await Follower.of(reader);
  // One by one, so that no page of all three is kept for the next reader.
  for (let written = 0; written < 3; written += 1) {
    await write(1);
    await haveAll([first], await events(store));
  }
  const createAgain = async (count: number): Promise<void> => {
    await operator(url).flushall();
    await write(count);
  };
  const held = proxy.hold('reply');
  await createAgain(1);
  await held.caught;
  await createAgain(2);
  const before = await scriptCalls(url);
  const opening = Follower.of(reader, { after: 'origin' });
  await expect.poll(() => scriptCalls(url)).toBeGreaterThan(before);
  await held.letGo();
  const second = await opening;
  await write(2);
  await haveAll([first, second], await events(store));
  expect(second.heard).toEqual(second.sinceLoss);
  expect(first.heard).not.toContain('lagged');
});

test('E3: ten streams of a server that goes back, and is overtaken or not, lose once and have the true events', async () => {
  const own = await ownServer();
  const all = await followers(10, { url: own.url });
  for (const [round, after] of [1, 3, 4, 8].entries()) {
    const { store, write } = await writerOf(own.url);
    // Numbers of transactions that no earlier round had.
    await store.confirm({ point: point(round + 1), seen: [], unseen: [] });
    await store.flush();
    await write(5);
    await operator(own.url).save();
    await write(4);
    const { lastEventSeq } = await store.usage();
    await Promise.all(all.map((one) => one.until(({ last }) => last === lastEventSeq)));
    await own.restart();
    const { store: other } = await openPool({ url: own.url, timeoutMs });
    for (const n of numbers(after)) await other.receive(transactions(1_000 * (round + 1) + n));
    await haveAll(all, await events(other));
    for (const { losses } of all) expect(losses).toBe(round + 1);
    await other.flush();
  }
});

/** Two servers: the second has the first 20 of the 25 events of the first, and goes on alone. */
async function twoServers() {
  const [first, second] = [await ownServer('--repl-diskless-sync-delay', '0'), await ownServer()];
  const [one, two] = [operator(first.url), operator(second.url)];
  await two.config('SET', 'repl-diskless-sync-delay', 0);
  const follow = async (server: Redis, { url }: { readonly url: string }): Promise<void> => {
    await server.replicaof(new URL(url).hostname, new URL(url).port);
    await expect.poll(() => server.info('replication')).toMatch(/^master_link_status:up/m);
  };
  const proxy = await ownProxy(first.url);
  const { store, write } = await writerOf(first.url);
  const all = await followers(10, { url: proxy.url });
  await write(20);
  await follow(two, first);
  await expect.poll(() => two.xlen('{mempool}:events')).toBe(20);
  await two.replicaof('NO', 'ONE');
  await write(5);
  await haveAll(all, await events(store));
  return { one, proxy, second, store, write, all, demote: () => follow(one, second) };
}

test('E3: a server that was a replica for a while, and lost events, is noticed on the connections that it kept', async () => {
  const { one, demote, store, write, all } = await twoServers();
  await demote();
  await one.replicaof('NO', 'ONE');
  await write(12);
  await haveAll(all, await events(store));
  for (const { losses } of all) expect(losses).toBe(1);
});

test('E3: so it is if nobody waited when it became a replica, and it has other events under the next numbers', async () => {
  const { one, proxy, demote, second, store, write, all } = await twoServers();
  const held = proxy.hold('request', (request) => /hdel|xread/i.test(request.toString('latin1')));
  await write(1);
  await held.caught;
  await Promise.all(all.map((follower) => follower.until(({ last }) => last === 26)));
  await demote();
  const { store: other } = await openPool({ url: second.url, timeoutMs });
  for (const n of numbers(7)) await other.receive(transactions(1_000 + n));
  await expect.poll(() => one.xlen('{mempool}:events')).toBe(27);
  await held.letGo();
  await one.replicaof('NO', 'ONE');
  await write(2);
  await haveAll(all, await events(store));
  for (const { losses } of all) expect(losses).toBe(1);
});

test('E4: ten streams go on without gap or repeat when their connections are cut, all or those that wait', async () => {
  const { url } = await ownServer();
  const proxy = await ownProxy(url);
  const { store, write } = await writerOf(url);
  const all = await followers(10, { url: proxy.url });
  const admin = operator(url);
  for (let round = 1; round <= 10; round += 1) {
    const writing = write(30);
    if (round % 2 === 0) {
      proxy.down();
      await writing;
      proxy.thaw();
    } else for (const id of await waiting(url)) await admin.client('KILL', 'ID', id);
    await writing;
    await haveAll(all, await events(store));
  }
  for (const { losses } of all) expect(losses).toBe(0);
});

test('stores with other options, or another pool, have a connection of their own', async () => {
  const { url } = await ownServer();
  const others = [{ connectionName: 'own' }, { tls: undefined, family: 4 as const }, { keyPrefix: 'elsewhere' }];
  for (const options of [{}, {}, ...others]) await followers(1, { url, ...options });
  await expect.poll(() => waiting(url)).toHaveLength(4);
});

test('E3, M2: a damaged entry that the streams meet is a loss of its events, and they go on', async () => {
  const { url } = await ownServer();
  const { store, write } = await writerOf(url);
  const all = await followers(3, { url });
  await write(10);
  await haveAll(all, await events(store));
  const admin = operator(url);
  const [epoch, trail] = await admin.hmget('{mempool}:meta', 'epoch', 'trail');
  await admin
    .multi()
    .hset('{mempool}:meta', 'eventSeq', 12)
    .xadd('{mempool}:events', '12-2', `${epoch}`, 'damaged', 'trail', `${trail}`, 'at', '1')
    .exec();
  await write(3);
  await Promise.all(all.map((one) => one.until(({ sinceLoss }) => sinceLoss.length === 3 && one.losses === 1)));
  for (const { sinceLoss } of all) expect(sinceLoss).toEqual(['13 11', '14 12', '15 13']);
});
