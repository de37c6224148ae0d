import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isMempoolError, type MempoolError, type MempoolErrorCode } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, inject, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, operator, ownServer } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

const fails =
  (code: MempoolErrorCode, details: object = {}) =>
  (error: unknown) => {
    assert.ok(isMempoolError(error), `not an error of ours: ${error}`);
    assert.equal(error.code, code, error.message);
    expect((error as MempoolError).details).toMatchObject(details);
    return true;
  };
const incompatible = fails('ERR_MEMPOOL_INCOMPATIBLE');

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const [, named] = /^ACL SETUSER mempool-node on >secret (.+)$/m.exec(readme) as RegExpExecArray;
const [, more = ''] = /^ACL SETUSER mempool-node (\+.+)$/m.exec(readme) as RegExpExecArray;

/** The rights that the README names for a node of a priority pool. */
const rights = `${named} ${more}`.replace('dolos:mempool', 'mempool').split(' ');

test('N2: a pool opens with the order that it was made with only, and a build that knows no other order refuses it', async () => {
  const [url, admin] = [inject('redisUrl'), operator(inject('redisUrl'))];
  const [ranked, plain] = [randomUUID(), randomUUID()];
  await openPool({ url, pool: ranked, ordering: 'priority' });
  await openPool({ url, pool: plain });
  await assert.rejects(redis.open({ url, pool: ranked }), incompatible);
  await assert.rejects(redis.open({ url, pool: plain, ordering: 'priority' }), incompatible);
  expect(await admin.hget(`{${ranked}}:meta`, 'format')).toBe('4');
  expect(await admin.hget(`{${plain}}:meta`, 'format')).toBe('3');
  expect(await admin.exists(...['entries', 'tags', 'changes'].map((key) => `{${plain}}:${key}`))).toBe(0);
});

test('N2: a node notices that its pool was made anew with the other order', async () => {
  const { url } = await ownServer();
  const { store: plain } = await openPool({ url, pool: 'a' });
  const { store: ranked } = await openPool({ url, pool: 'b', ordering: 'priority' });
  await operator(url).flushall();
  await openPool({ url, pool: 'a', ordering: 'priority' });
  await openPool({ url, pool: 'b' });
  for (const store of [plain, ranked]) {
    await assert.rejects(store.receive([{ hash: hashOf(1), payload: Buffer.from('1'), payloadType: 0 }]), incompatible);
    await assert.rejects(store.usage(), incompatible);
    await assert.rejects(store.tip(), incompatible);
  }
});

test('the rights that the README names are enough for a priority pool', async () => {
  const server = await ownServer();
  await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...rights);
  const url = server.url.replace('//', '//node:secret@');
  const options = { url, ordering: 'priority', maxFinalized: 1, maxTxs: 3 } as const;
  const [{ store }, { store: other }] = [await openPool(options), await openPool(options)];
  await store.receive(numbers(5).map((n) => priced(n, { provides: [`${n}`] })));
  await Promise.all([store, other].map((each, n) => each.receive([priced(10 + n, { priority: 2_000n })])));
  await store.confirm({ point: point(1), seen: [hashOf(10)], unseen: [], provides: ['1'] }, { finalizeThreshold: 1 });
  await other.rollback(null);
  await other.dump();
  expect(await store.flush()).toBeGreaterThan(0);
  await openPool(options);
});

test.for(more.split(' '))(
  'without %s a node of a priority pool is not opened, and is told the command',
  async (right) => {
    const server = await ownServer();
    const given = rights.filter((other) => other !== right);
    await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...given);
    const url = server.url.replace('//', '//node:secret@');
    const refused = fails('ERR_MEMPOOL_PERMISSION', { command: right.slice(1).toUpperCase() });
    await assert.rejects(redis.open({ url, ordering: 'priority' }), refused);
  },
);

test.for([
  'entries',
  'tags',
  'changes',
  'idx',
  'body',
  'log',
  'flight',
  'blocks',
  'seen',
  'events',
  'calls',
  'calls:old',
])('X1: a key %s of another type is named, and nothing is written', async (name) => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  await store.receive([priced(1)]);
  const admin = operator(url);
  const key = `{${pool}}:${name}`;
  const kept = await admin.dumpBuffer(key);
  await admin.del(key);
  await admin.set(key, 'mine');
  const before = await admin.hgetall(`{${pool}}:meta`);
  await assert.rejects(store.receive([priced(2)]), fails('ERR_MEMPOOL_INCOMPATIBLE', { key }));
  await assert.rejects(store.flush(), fails('ERR_MEMPOOL_INCOMPATIBLE', { key }));
  expect(await admin.hgetall(`{${pool}}:meta`)).toEqual(before);
  expect(await admin.get(key)).toBe('mine');
  await admin.del(key);
  if (kept !== null) await admin.restore(key, 0, kept);
  expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 2 }]);
});

test('M3: a full server refuses what is received and changes nothing; what makes room goes on', async () => {
  const server = await ownServer('--maxmemory-policy', 'noeviction');
  const { store } = await openPool({ url: server.url, ordering: 'priority', maxFinalized: 1, maxTxs: 40 });
  for (const n of numbers(20)) await store.receive([priced(2 * n, {}, 10_000), priced(2 * n + 1, {}, 10_000)]);
  const before = await store.dump();
  const admin = operator(server.url);
  await admin.config('SET', 'maxmemory', '1000000');
  await assert.rejects(store.receive([priced(100, { priority: 5_000n })]), fails('ERR_MEMPOOL_STORE_FULL'));
  assert.deepEqual(await store.dump(), before);
  expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'duplicate' }]);
  const lot = await store.take({ maxTxs: 2 }, { owner: 'me', leaseMs: 1_000 });
  expect(lot.transactions).toHaveLength(2);
  const seen = lot.transactions.map(({ hash }) => hash);
  expect(await store.confirm({ point: point(1), seen, unseen: [] })).toMatchObject({ kind: 'applied', confirmed: 2 });
  expect(await store.rollback(null)).toMatchObject({ kind: 'rolled-back', returned: 2 });
  expect(await store.flush()).toBe(40);
  await admin.config('SET', 'maxmemory', '0');
  expect(await store.receive([priced(100)])).toMatchObject([{ kind: 'received', seq: 41 }]);
  const node = mirrorNode(server.url, 'mempool');
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a call of a thousand large transactions is one step', { timeout: 120_000 }, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs: 60_000 });
  const given = numbers(1_000).map((n) => priced(n, { provides: [`${n}`] }, 40_000));
  expect((await store.receive(given)).every(({ kind }) => kind === 'received')).toBe(true);
  const found = await store.payloads([hashOf(1), hashOf(1_000)]);
  expect(found.map((each) => each?.payload.length)).toEqual([40_000, 40_000]);
  expect(await store.flush()).toBe(1_000);
});
