import { rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Hint, LeaseStore } from 'mempool-election';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { bid, openLeases, StandingClock, ttlMs, win } from './node.ts';
import { Audience, Talker } from './talker.ts';

const lockOf = (path: string, name = 'watcher') => `${path}-${name}-lock`;

function holdsLock(path: string): unknown {
  const database = new SqliteDatabase(path, { readonly: true });
  const held = database.prepare("SELECT holds_lock FROM lease WHERE name = 'watcher'").pluck().get();
  database.close();
  return held;
}

/** The next hint that somebody who listens is given. */
function hint(store: LeaseStore): Promise<Hint> {
  return new Promise((resolve) => {
    const end = store.onHint((given) => {
      end();
      resolve(given);
    });
  });
}

/** A process that leads the elections named, with leases of an hour. */
async function holder(path: string, names = ['watcher']): Promise<Talker> {
  const audience = new Audience();
  const process = new Talker(audience, './election/holder.ts', 'holder', [path, ...names]);
  await audience.next('holds', { from: 0 });
  return process;
}

test('a holder that was killed is seen to hold no more at the next look: its lease is free, and taken without force', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const process = await holder(path);
  const store = await openLeases(path);
  const { lease, term } = await store.observe();
  expect(lease?.remainingMs).toBeGreaterThan(ttlMs);
  const told = hint(store);
  await process.end('SIGKILL');
  expect(await told).toBe('released');
  expect(await store.observe()).toEqual({ lease: null, term });
  expect(await store.campaign(bid('b'))).toMatchObject({ kind: 'won', forced: null, lease: { term: term + 1 } });
  expect(holdsLock(path)).toBe(1);
});

test('only one of those who find the holder dead takes the lease', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const process = await holder(path);
  const stores = await Promise.all(['b', 'c', 'd'].map(async (id) => ({ id, store: await openLeases(path) })));
  await process.end('SIGKILL');
  const replies = await Promise.all(stores.map(({ id, store }) => store.campaign(bid(id))));
  expect(replies.map(({ kind }) => kind).sort()).toEqual(['held', 'held', 'won']);
});

test('a holder that was stopped keeps its lock: its lease is held', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const process = await holder(path);
  process.signal('SIGSTOP');
  const store = await openLeases(path);
  expect(await store.observe()).toMatchObject({ lease: { nodeId: 'holder' } });
  expect(await store.campaign(bid('b'))).toMatchObject({ kind: 'held' });
});

test('a successor of a stopped holder has the lock by the renewal after that one has let go', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const clock = new StandingClock('this boot');
  const [a, b] = [await openLeases(path, { clock }), await openLeases(path, { clock })];
  const old = await win(a, 'a');
  clock.advance(ttlMs);
  const lease = await win(b, 'b');
  expect(holdsLock(path)).toBe(0);
  const request = { candidate: bid('b').candidate, ttlMs, heartbeat: 'beat' } as const;
  await b.renew(lease, request);
  expect(holdsLock(path)).toBe(0);
  expect(await a.renew(old, request)).toMatchObject({ kind: 'lost', lease: { nodeId: 'b' } });
  await b.renew(lease, request);
  expect(holdsLock(path)).toBe(1);
  expect(await a.observe()).toMatchObject({ lease: { nodeId: 'b' } });
});

test('each election has a lock of its own: the death of one leader says nothing of another', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const [one] = [await holder(path, ['one']), await holder(path, ['two'])];
  const [first, second] = [await openLeases(path, { name: 'one' }), await openLeases(path, { name: 'two' })];
  await one.end('SIGKILL');
  expect(await first.observe()).toMatchObject({ lease: null });
  expect(await second.observe()).toMatchObject({ lease: { nodeId: 'holder' } });
});

test('a deleted lock file proves nothing', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const [a, b, c] = [await openLeases(path), await openLeases(path), await openLeases(path)];
  const lease = await win(a, 'a');
  await b.observe();
  rmSync(lockOf(path));
  for (const store of [b, c]) expect(await store.observe()).toMatchObject({ lease: { nodeId: 'a' } });
  new SqliteDatabase(lockOf(path)).close();
  expect(await c.campaign(bid('c'))).toMatchObject({ kind: 'held', lease: { term: lease.term } });
});

test('a lock file that cannot be one leaves the lease to its time', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const other = new SqliteDatabase(lockOf(path));
  other.exec('CREATE TABLE holder (other TEXT)').close();
  const [a, b] = [await openLeases(path), await openLeases(path)];
  await win(a, 'a');
  expect(holdsLock(path)).toBe(0);
  await a.close();
  expect(await b.observe()).toMatchObject({ lease: { nodeId: 'a' } });
});

test('a lock by a clock of another boot or host proves nothing', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const a = await openLeases(path, { clock: new StandingClock('one boot') });
  const b = await openLeases(path, { clock: new StandingClock('another boot') });
  await win(a, 'a');
  await a.close();
  expect(await b.observe()).toMatchObject({ lease: { nodeId: 'a', remainingMs: null } });
});

test('those who look for the lock do not keep a winner from it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const [a, ...others] = await Promise.all(['a', 'b', 'c', 'd'].map(() => openLeases(path)));
  const winner = a as LeaseStore;
  const ends = others.map((store) => store.onHint(() => undefined));
  for (let round = 0; round < 50; round++) {
    const lease = await win(winner, 'a');
    const [renewed] = await Promise.all([
      winner.renew(lease, { candidate: bid('a').candidate, ttlMs, heartbeat: 'beat' }),
      ...others.map((store) => store.observe()),
    ]);
    expect(renewed).toMatchObject({ kind: 'renewed' });
    expect(holdsLock(path)).toBe(1);
    await winner.release(lease);
  }
  for (const end of ends) end();
});
