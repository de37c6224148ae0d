import { join } from 'node:path';
import type { Mempool, OpenOptions } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteWithClock } from '../../src/sqlite.ts';
import { hashOf, pointOf, transaction } from '../numbered.ts';
import { digest } from './digest.ts';
import { openLeases, StandingClock, ttlMs, win } from './node.ts';

// Who may apply a block are the conformance cases X6. Here is what they cannot see: the file itself, and clocks of other hosts.

const block = { point: pointOf(1), seen: [hashOf(1)], unseen: [] };

interface Scene {
  readonly path: string;
  readonly clock: StandingClock;
  readonly leases: LeaseStore;
  readonly pool: Mempool;
}

/** A pool with one transaction, and a node that may lead. */
async function scene(options: OpenOptions = {}): Promise<Scene> {
  const path = join(scratchFolder(), 'pool.db');
  const clock = new StandingClock('this boot');
  const leases = await openLeases(path, { clock });
  const pool = await sqliteWithClock(clock).open({ path, ...options });
  onTestFinished(() => pool.close());
  await pool.receive([transaction(1)]);
  return { path, clock, leases, pool };
}

test('X6: a call that is fenced writes nothing to the file: a lease of another, none, and one a millisecond too old', async () => {
  const { path, clock, leases, pool } = await scene();
  const lease = await win(leases, 'a');
  const before = digest(path);
  for (const wrong of [{ ...lease, token: 'other' }, undefined])
    expect(await pool.confirm(block, {}, { lease: wrong })).toMatchObject({ kind: 'fenced' });
  clock.advance(ttlMs);
  const fenced = { kind: 'fenced', tip: { point: null, tick: 0 } };
  expect([await pool.confirm(block, {}, { lease }), await pool.rollback('origin', { lease })]).toEqual([
    fenced,
    fenced,
  ]);
  expect(digest(path)).toBe(before);
});

test('X6: each pool is guarded by the election that it names', async () => {
  const { leases, pool } = await scene({ election: 'other' });
  const lease = await win(leases, 'a');
  expect(await pool.confirm(block, {}, { lease })).toMatchObject({ kind: 'fenced' });
  expect(await pool.confirm(block)).toMatchObject({ kind: 'applied' });
});

test('X6: a lease by a clock that the pool does not know counts as held', async () => {
  const { path, clock, leases } = await scene();
  const pool = await sqliteWithClock(new StandingClock('another boot')).open({ path });
  onTestFinished(() => pool.close());
  const lease = await win(leases, 'a');
  clock.advance(ttlMs);
  expect(await pool.confirm(block)).toMatchObject({ kind: 'fenced' });
  expect(await pool.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
});
