import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isMempoolError, type Lease, type Mempool, type MempoolError } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { leaseOf, openLeases, win } from './node.ts';

/** A pool with a block applied and something for the next one to do, and the leases of its election. */
async function fixture() {
  const url = inject('redisUrl');
  const pool = randomUUID();
  const { store } = await openPool({ url, pool });
  await store.receive(transactions(1, 2, 3));
  await store.markInflight([hashOf(1), hashOf(2)]);
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
  const leases = await openLeases({ url, pool });
  return { store, leases, admin: operator(url), key: (name: string) => `{${pool}}:${name}`, url, pool };
}

type ChainVerb = (store: Mempool, lease?: Lease, operationId?: string) => Promise<{ readonly kind: string }>;

const next = { point: point(2), parent: point(1).hash, seen: [hashOf(2)], unseen: [hashOf(1)] };
const verbs: Readonly<Record<string, ChainVerb>> = {
  confirm: (store, lease, operationId) => store.confirm(next, {}, { lease, operationId }),
  rollback: (store, lease, operationId) => store.rollback('origin', { lease, operationId }),
};
const cases = Object.entries(verbs);

/** All keys of the pool, byte by byte, with how long they last. */
async function dump(admin: Redis, pool: string) {
  const keys = (await admin.keys(`{${pool}}:*`)).sort();
  const values = await Promise.all(keys.map(async (key) => [key, (await admin.dumpBuffer(key))?.toString('hex')]));
  const left = await Promise.all(keys.map((key) => admin.pttl(key)));
  return { values, left };
}

/** The call is fenced, and the server holds what it held, with no more time to live. */
async function assertFenced(pool: string, admin: Redis, call: () => Promise<{ readonly kind: string }>) {
  const before = await dump(admin, pool);
  expect(await call()).toEqual({ kind: 'fenced', tip: { point: point(1), tick: 1 } });
  const after = await dump(admin, pool);
  assert.deepEqual(after.values, before.values);
  for (const [i, left] of after.left.entries()) expect(left).toBeLessThanOrEqual(before.left[i] as number);
}

// Who may apply a block are the conformance cases X6. Here are the keys: that a fenced call leaves every byte of them, and what an
// operator may do to them.

for (const [verb, call] of cases) {
  test(`X6: ${verb} that is fenced leaves the keys of the pool as they are, byte by byte`, async () => {
    const { store, leases, admin, pool } = await fixture();
    const lease = leaseOf(await win(leases, 'a'));
    for (const wrong of [undefined, { ...lease, token: randomUUID() }, { ...lease, term: lease.term + 1 }])
      await assertFenced(pool, admin, () => call(store, wrong, 'an id'));
  });

  test(`X6: ${verb} under the live lease begins the time of both keys anew`, async () => {
    const { store, leases, admin, key } = await fixture();
    const lease = leaseOf(await win(leases, 'a', { ttlMs: 60_000 }));
    for (const name of ['watcher:lock', 'watcher:lease']) await admin.pexpire(key(name), 5_000);
    expect(['applied', 'rolled-back']).toContain((await call(store, lease)).kind);
    for (const name of ['watcher:lock', 'watcher:lease']) expect(await admin.pttl(key(name))).toBeGreaterThan(50_000);
  });

  test(`X6: ${verb} after an operator deleted the lock, or the lease, is fenced`, async () => {
    const { store, leases, admin, key, pool } = await fixture();
    const lease = leaseOf(await win(leases, 'a'));
    await admin.rename(key('watcher:lease'), key('aside'));
    await assertFenced(pool, admin, () => call(store, lease));
    await admin.rename(key('aside'), key('watcher:lease'));
    await admin.set(key('watcher:lock'), 'b');
    await assertFenced(pool, admin, () => call(store, lease));
    await admin.del(key('watcher:lock'));
    await assertFenced(pool, admin, () => call(store, lease));
  });

  test(`X6: ${verb} names the key of the election that is of another type`, async () => {
    const { store, admin, key } = await fixture();
    for (const name of ['watcher:lock', 'watcher:lease']) {
      await admin.lpush(key(name), 'mine');
      await assert.rejects(call(store), (error) => {
        expect(isMempoolError(error, 'ERR_MEMPOOL_INCOMPATIBLE')).toBe(true);
        expect((error as MempoolError).details).toMatchObject({ key: key(name) });
        return true;
      });
      await admin.del(key(name));
    }
  });
}

test('X6: only the lease of the election that the pool names counts', async () => {
  const { store, leases, url, pool } = await fixture();
  const { store: other } = await openPool({ url, pool, election: 'other' });
  await win(leases, 'a');
  const lease = leaseOf(await win(await openLeases({ url, pool, name: 'other' }), 'b'));
  expect(await store.confirm(next, {}, { lease })).toMatchObject({ kind: 'fenced' });
  expect(await other.confirm(next, {}, { lease })).toMatchObject({ kind: 'applied' });
});
