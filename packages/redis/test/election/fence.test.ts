import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isMempoolError, type Lease, type MempoolError, type MempoolStore } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { leaseOf, openLeases, renewal, request, untilFree, win } from './node.ts';

/** A pool with a block applied and something for the next one to do, and the leases of its election. */
async function fixture({ fenced = false, ttlMs = 10_000 } = {}) {
  const url = inject('redisUrl');
  const pool = randomUUID();
  const { store } = await openPool({ url, pool });
  await store.receive(transactions(1, 2, 3));
  await store.markInflight([hashOf(1), hashOf(2)]);
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
  const leases = await openLeases({ url, pool, ttlMs });
  const guarded = fenced ? (await openPool({ url, pool, fenced })).store : store;
  return { store: guarded, leases, admin: operator(url), key: (name: string) => `{${pool}}:${name}`, url, pool };
}

type ChainVerb = (store: MempoolStore, lease?: Lease, operationId?: string) => Promise<{ readonly kind: string }>;

const next = { point: point(2), parent: point(1).hash, seen: [hashOf(2)], unseen: [hashOf(1)] };
const verbs: Readonly<Record<string, ChainVerb>> = {
  confirm: (store, lease, operationId) => store.confirm(next, {}, { lease, operationId }),
  rollback: (store, lease, operationId) => store.rollback(null, { lease, operationId }),
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

const wrong: readonly (readonly [string, (lease: Lease) => Lease | undefined])[] = [
  ['no lease at all', () => undefined],
  ['another token of the same term', (lease) => ({ ...lease, token: randomUUID() })],
  ['the same token of an older term', (lease) => ({ ...lease, term: lease.term - 1 })],
  ['the same token of a newer term', (lease) => ({ ...lease, term: lease.term + 1 })],
  ['another node', (lease) => ({ ...lease, nodeId: 'b' })],
];

for (const [verb, call] of cases) {
  for (const [what, spoil] of wrong)
    test(`X6: while a lease is held, ${verb} with ${what} is fenced and changes nothing`, async () => {
      const { store, leases, admin, pool } = await fixture();
      const lease = leaseOf(await win(leases, 'a'));
      await assertFenced(pool, admin, () => call(store, spoil(lease), 'an id'));
    });

  test(`X6: ${verb} under the live lease is applied and begins the lease's time anew, but does not move its seq`, async () => {
    const { store, leases, admin, key } = await fixture();
    const lease = leaseOf(await win(leases, 'a', { ttlMs: 60_000 }));
    await admin.pexpire(key('watcher:lock'), 5_000);
    await admin.pexpire(key('watcher:lease'), 5_000);
    expect(['applied', 'rolled-back']).toContain((await call(store, lease)).kind);
    expect((await leases.observe()).lease).toMatchObject({ ...lease, seq: 1, hbSeq: 1 });
    expect(await admin.pttl(key('watcher:lock'))).toBeGreaterThan(50_000);
    expect(await admin.pttl(key('watcher:lease'))).toBeGreaterThan(50_000);
  });

  test(`X6: ${verb} of an expired leader is fenced before there is a successor`, async () => {
    const { store, leases, admin, pool } = await fixture({ ttlMs: 250 });
    const lease = leaseOf(await win(leases, 'a', { ttlMs: 250 }));
    await untilFree(leases);
    await assertFenced(pool, admin, () => call(store, lease));
  });

  test(`X6: ${verb} of a leader that another one followed is fenced, and the successor's is applied`, async () => {
    const { store, leases, admin, pool } = await fixture();
    const old = leaseOf(await win(leases, 'a'));
    const forced = await leases.campaign(request('b', { takeover: { token: old.token } }));
    assert.equal(forced.kind, 'won');
    await assertFenced(pool, admin, () => call(store, old));
    expect((await call(store, leaseOf(forced.lease))).kind).not.toBe('fenced');
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

  test(`X6: a pool opened with fenced takes ${verb} under the live lease alone`, async () => {
    const { store, leases, admin, pool } = await fixture({ fenced: true });
    await assertFenced(pool, admin, () => call(store));
    const lease = leaseOf(await win(leases, 'a'));
    expect((await call(store, lease)).kind).not.toBe('fenced');
  });

  test(`X6, X2: ${verb} with a known operation id is answered again, whoever leads by now`, async () => {
    const { store, leases } = await fixture();
    const held = await win(leases, 'a');
    const first = await call(store, leaseOf(held), 'an id');
    await leases.release(held);
    await win(leases, 'b');
    assert.deepEqual(await call(store, leaseOf(held), 'an id'), first);
    expect((await call(store, leaseOf(held), 'another id')).kind).toBe('fenced');
  });

  test(`X6: what was fenced is not recorded: under the lease ${verb} with the same operation id is applied`, async () => {
    const { store, leases } = await fixture();
    const lease = leaseOf(await win(leases, 'a'));
    expect((await call(store, undefined, 'an id')).kind).toBe('fenced');
    expect(['applied', 'rolled-back']).toContain((await call(store, lease, 'an id')).kind);
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

test('X6, X3: a block applied before and one behind a gap are told so, and prolong nothing', async () => {
  const { store, leases, admin, key } = await fixture();
  const held = await win(leases, 'a', { ttlMs: 60_000 });
  const lease = leaseOf(held);
  await admin.pexpire(key('watcher:lock'), 5_000);
  const block = { point: point(1), seen: [], unseen: [] };
  expect(await store.confirm(block, {}, { lease })).toMatchObject({ kind: 'duplicate' });
  expect(await store.confirm({ ...block, point: point(9), parent: point(8).hash }, {}, { lease })).toMatchObject({
    kind: 'gap',
  });
  expect(await store.rollback(point(1), { lease })).toMatchObject({ kind: 'unchanged' });
  expect(await store.rollback(point(9), { lease })).toMatchObject({ kind: 'unknown-point' });
  expect(await admin.pttl(key('watcher:lock'))).toBeLessThanOrEqual(5_000);
  expect(await leases.renew(held, renewal('a'))).toMatchObject({ kind: 'renewed', lease: { seq: 2 } });
});

test('X6: only the lease of the election that the pool names counts', async () => {
  const { store, leases, url, pool } = await fixture();
  const { store: other } = await openPool({ url, pool, election: 'other' });
  await win(leases, 'a');
  const lease = leaseOf(await win(await openLeases({ url, pool, name: 'other' }), 'b'));
  expect(await store.confirm(next, {}, { lease })).toMatchObject({ kind: 'fenced' });
  expect(await other.confirm(next, {}, { lease })).toMatchObject({ kind: 'applied' });
});
