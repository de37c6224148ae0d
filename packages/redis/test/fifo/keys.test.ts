import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Mempool, OpenOptions } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';

const count = 2_000;
const all = Array.from({ length: count }, (_, i) => i + 1);
/** What a pool always has. */
const keys = ['blocks', 'body', 'calls', 'events', 'facts', 'flight', 'idx', 'log', 'meta', 'ops', 'seen', 'sent'];
const fields = [
  ...[
    'at',
    'epoch',
    'eventSeq',
    'facts',
    'floor',
    'format',
    'largest',
    'logFirst',
    'logSeq',
    'maxEvents',
    'maxFinalized',
    'maxRollback',
  ],
  ...['pool', 'sent', 'seq', 'tick', 'tip', 'trail'],
];

async function setUp(options: OpenOptions = {}) {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ...options });
  return { store, admin: operator(url), prefix: `{${pool}}` };
}

async function namesOf(admin: Redis, prefix: string): Promise<string[]> {
  return (await admin.keys(`${prefix}:*`)).map((key) => key.slice(prefix.length + 1)).sort();
}

async function fill(store: Mempool): Promise<void> {
  for (let from = 0; from < count; from += 1_000)
    await store.receive(all.slice(from, from + 1_000).map((n) => transaction(n, 100)));
}

/** Verbs that need no further key or field. */
async function live(store: Mempool): Promise<void> {
  await fill(store);
  await store.markInflight([1, 2, 3, 4].map(hashOf), { operationId: 'mark' });
  await store.markAcknowledged([hashOf(1)]);
  await store.release([hashOf(2)]);
  await store.drop([hashOf(3)], 'failed');
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
  await store.reap({ maxBytes: 1_000 });
  await store.since();
  await store.payloads([hashOf(1)]);
  await store.sweep();
  await store.setLimits({});
  await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
}

/** Bytes of the keys that hold a transaction for as long as it lives. */
async function bytesOf(admin: Redis, prefix: string): Promise<number> {
  const sizes = ['idx', 'flight', 'body'].map((key) => admin.memory('USAGE', `${prefix}:${key}`, 'SAMPLES', 0));
  return (await Promise.all(sizes)).reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

test('a pool has these keys and fields, and no more until somebody takes or sets a limit', async () => {
  const { store, admin, prefix } = await setUp();
  await live(store);
  expect(await namesOf(admin, prefix)).toEqual(keys);
  expect((await admin.hkeys(`${prefix}:meta`)).sort()).toEqual(fields);
  expect(await admin.hlen(`${prefix}:body`)).toBe(count);
  expect(await admin.zcard(`${prefix}:idx`)).toBe(count);
  expect(await admin.zcard(`${prefix}:flight`)).toBe(2);
});

test('a transaction takes one member by hash, one record, and in flight a second member', async () => {
  const { store, admin, prefix } = await setUp();
  await fill(store);
  expect(await admin.hstrlen(`${prefix}:body`, Buffer.from(hashOf(1), 'hex') as unknown as string)).toBe(106);
  expect((await bytesOf(admin, prefix)) / count - 100).toBeLessThan(330);
  for (let from = 0; from < count; from += 1_000) await store.markInflight(all.slice(from, from + 1_000).map(hashOf));
  expect((await bytesOf(admin, prefix)) / count - 100).toBeLessThan(460);
  const names = await namesOf(admin, prefix);
  expect(names).not.toContain('leases');
  expect(names).not.toContain('taken');
});

test('two keys come with a lease, and go with the last one', async () => {
  let now = 1_000;
  const { store, admin, prefix } = await setUp({ now: () => now });
  await live(store);
  await store.take({ maxTxs: 3 }, { owner: 'a', claimMs: 50 });
  expect(await namesOf(admin, prefix)).toEqual([...keys, 'leases', 'taken', 'claims'].sort());
  expect(await admin.zcard(`${prefix}:leases`)).toBe(3);
  expect((await admin.hkeys(`${prefix}:meta`)).sort()).toEqual([...fields, 'leases'].sort());
  await store.markAcknowledged([hashOf(2)]);
  expect(await admin.zcard(`${prefix}:leases`)).toBe(2);
  expect(await admin.hlen(`${prefix}:taken`)).toBe(2);
  now = 2_000;
  await store.sweep();
  expect(await namesOf(admin, prefix)).toEqual(keys);
  expect((await admin.hkeys(`${prefix}:meta`)).sort()).toEqual(fields);
});

test('one field comes with a limit, and goes with it', async () => {
  const { store, admin, prefix } = await setUp({ maxTxs: 9_000 });
  await live(store);
  expect((await admin.hkeys(`${prefix}:meta`)).sort()).toEqual(fields);
  await store.setLimits({ maxTxs: 5 });
  expect((await admin.hkeys(`${prefix}:meta`)).sort()).toEqual([...fields, 'maxTxs'].sort());
});

test('a key of another type in the place of the leases is named, and nothing is changed', async () => {
  const { store, admin, prefix } = await setUp();
  await fill(store);
  await admin.set(`${prefix}:leases`, 'in the way');
  const before = await store.usage();
  await expect(store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50 })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_INCOMPATIBLE',
    details: { key: `${prefix}:leases` },
  });
  expect(await store.usage()).toEqual(before);
});
