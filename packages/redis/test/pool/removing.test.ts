import assert from 'node:assert/strict';
import type { Ordering } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openLeases, win } from '../election/node.ts';
import { openPool, operator, ownServer } from '../own-server.ts';
import { numbers, priced } from '../priority/priced.ts';
import { fails, rights, userWith } from '../refusal.ts';

/** A pool with something of everything that is stored. */
async function fill(url: string, ordering: Ordering, pool: string): Promise<string> {
  const { store } = await openPool({ ordering, url, pool });
  const given = numbers(20).map((n) => priced(n, { requires: n === 9 ? ['none'] : [], provides: [`${n}`] }));
  const plain = given.map(({ verdict: _, ...transaction }) => transaction);
  await store.receive(ordering === 'fifo' ? plain : given, { operationId: 'receive' });
  await store.markInflight([1, 2, 3, 4].map(hashOf));
  await store.drop([hashOf(5)], 'failed');
  await store.confirm({
    point: point(1),
    seen: [1, 99].map(hashOf),
    unseen: [],
    provides: ordering === 'fifo' ? [] : ['b'],
  });
  await store.release([hashOf(2)], { notBeforeMs: Date.now() + 60_000 });
  await store.take({ maxTxs: 2 }, { owner: 'worker', claimMs: 60_000 });
  await store.setLimits({ maxTxs: 500 });
  await store.putRecord('record', Buffer.from('value'));
  const { epoch } = await store.tip();
  await store.close();
  const leases = await openLeases({ url, pool });
  await win(leases, 'a');
  await leases.heartbeat({ nodeId: 'b', address: null, priority: 1 }, 1_000);
  await leases.close();
  return epoch;
}

test.for(['fifo', 'priority'] as const)(
  'D4: of a pool and its election no key is left on the server, and of others all: %s',
  async (ordering) => {
    const { url } = await ownServer();
    const admin = operator(url);
    const keys = async () => (await admin.keys('*')).sort();
    await fill(url, ordering, 'pool-2');
    await admin.set('{pool}', 'of another program');
    await admin.set('{pool}:note', 'of another program');
    const before = await keys();
    const epoch = await fill(url, ordering, 'pool');
    expect((await keys()).length).toBeGreaterThan(before.length + 10);
    const options = { ordering, url, pool: 'pool' };
    expect(await redis.remove(options)).toBe(true);
    expect(await keys()).toEqual(before);
    expect(await redis.remove(options)).toBe(false);
    expect(await keys()).toEqual(before);
    const { store } = await openPool(options);
    expect((await store.tip()).epoch).not.toBe(epoch);
    expect(await store.usage()).toMatchObject({ pending: 0, logged: 0, lastSeq: 0, lastLogSeq: 0, lastEventSeq: 0 });
  },
);

test('D4: keys without a pool go too, and those of an election by its name', async () => {
  const { url } = await ownServer();
  const admin = operator(url);
  await admin.zadd('{pool}:held', 1, 'hash');
  const leases = await openLeases({ url, pool: 'pool', name: 'other' });
  await win(leases, 'a');
  await leases.close();
  expect(await redis.remove({ url, pool: 'pool' })).toBe(true);
  expect((await admin.keys('*')).sort()).toEqual(
    ['heartbeat:a', 'lease', 'lock', 'members', 'term'].map((name) => `{pool}:other:${name}`),
  );
  expect(await redis.remove({ url, pool: 'pool', election: 'other' })).toBe(true);
  expect(await admin.keys('*')).toEqual([]);
});

test('D4: a pool whose key meta is gone cannot be opened, and is removed', async () => {
  const { url } = await ownServer();
  const admin = operator(url);
  await fill(url, 'fifo', 'pool');
  await admin.del('{pool}:meta');
  await assert.rejects(redis.open({ url, pool: 'pool' }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
  expect(await redis.remove({ url, pool: 'pool' })).toBe(true);
  expect(await admin.keys('*')).toEqual([]);
});

test('D4: keys of another pool, of an unknown format and of another type stay', async () => {
  const { url } = await ownServer();
  const admin = operator(url);
  await fill(url, 'fifo', 'pool');
  const before = (await admin.keys('*')).sort();
  const refused = async (options: Parameters<typeof redis.remove>[0]) => {
    await assert.rejects(redis.remove(options), fails('ERR_MEMPOOL_INCOMPATIBLE'));
    expect((await admin.keys('*')).sort()).toEqual(before);
  };
  await refused({ url, pool: 'other', keyPrefix: 'pool' });
  await admin.hset('{pool}:meta', 'format', '2');
  await refused({ url, pool: 'pool' });
  await admin.del('{pool}:log');
  await admin.set('{pool}:log', 'of another program');
  await refused({ url, pool: 'pool' });
  await assert.rejects(redis.remove({ url, pool: 'pool' }), fails('ERR_MEMPOOL_INCOMPATIBLE', { key: '{pool}:log' }));
});

test('D4: a store that is open makes the pool anew with its next call', async () => {
  const { url } = await ownServer();
  const { store } = await openPool({ url, pool: 'pool' });
  const { epoch } = await store.tip();
  await store.putRecord('record', Buffer.from('value'));
  expect(await redis.remove({ url, pool: 'pool' })).toBe(true);
  expect((await store.tip()).epoch).not.toBe(epoch);
  expect(await store.listRecords('')).toMatchObject({ records: [] });
});

test('D4: the rights that the README names for a node are enough', async () => {
  const url = await userWith(rights.fifo);
  const { store } = await openPool({ url });
  await store.close();
  expect(await redis.remove({ url })).toBe(true);
  expect(await redis.remove({ url, ordering: 'priority' })).toBe(false);
});

test('D4: with minReplicas the replica has no key left either, nor does a wait leave one', async () => {
  const [main, replica] = [await ownServer('--repl-diskless-sync-delay', '0'), await ownServer()];
  const copy = operator(replica.url);
  await copy.replicaof('127.0.0.1', new URL(main.url).port);
  const options = { url: main.url, pool: 'pool', minReplicas: 1 };
  await expect.poll(() => copy.info('replication')).toContain('master_link_status:up');
  const { store } = await openPool(options);
  await store.putRecord('record', Buffer.from('value'));
  await store.close();
  expect(await copy.keys('*')).toContain('{pool}:waited');
  expect(await redis.remove(options)).toBe(true);
  expect(await operator(main.url).keys('*')).toEqual([]);
  await expect.poll(() => copy.keys('*')).toEqual([]);
  expect(await redis.remove(options)).toBe(false);
  expect(await operator(main.url).keys('*')).toEqual([]);
});

test('D4: a server that is out of reach is told as such', async () => {
  const server = await ownServer();
  await server.stop();
  await assert.rejects(redis.remove({ url: server.url, timeoutMs: 100 }), fails('ERR_MEMPOOL_UNAVAILABLE'));
});
