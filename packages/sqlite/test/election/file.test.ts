import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { transaction } from '../numbered.ts';
import { bid, openLeases, win } from './node.ts';

test('an election makes the file where there is none, and the pool is made in it afterwards', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const leases = await openLeases(path);
  const lease = await win(leases, 'a');
  await using pool = await sqlite.open({ path, pool: 'mine' });
  expect(await pool.receive([transaction(1)])).toMatchObject([{ kind: 'received', seq: 1 }]);
  expect(await leases.observe()).toMatchObject({ lease: { nodeId: 'a' }, term: lease.term });
  await using again = await sqlite.open({ path, pool: 'mine' });
  expect(await again.usage()).toMatchObject({ pending: 1 });
});

test.each([
  ['a token that is no text', "token = x'00'"],
  ['no node id', 'node_id = NULL'],
  ['an expiry that is text', "expires = 'soon'"],
  ['a negative term', 'term = -1'],
])('M2: a lease with %s is refused as damaged, by the election and the pool', async (_what, change) => {
  const path = join(scratchFolder(), 'pool.db');
  const leases = await openLeases(path);
  const lease = await win(leases, 'a');
  new SqliteDatabase(path).exec(`UPDATE lease SET ${change}`).close();
  await expect(leases.observe()).rejects.toMatchObject({ code: 'ERR_ELECTION_REFUSED' });
  await expect(leases.campaign(bid('b'))).rejects.toMatchObject({ code: 'ERR_ELECTION_REFUSED' });
  await using pool = await sqlite.open({ path });
  const block = { point: { slot: 1, hash: '00'.repeat(32) }, seen: [], unseen: [] };
  await expect(pool.confirm(block, {}, { lease })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  expect(await pool.usage()).toMatchObject({ lastEventSeq: 0 });
});

test('a verb waits for a busy file without standing in the way of others, and fails when its time is over', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const leases = await openLeases(path, { commandTimeoutMs: 200 });
  const patient = await openLeases(path, { commandTimeoutMs: 30_000 });
  const database = new SqliteDatabase(path);
  database.exec('BEGIN IMMEDIATE');
  await expect(leases.campaign(bid('a'))).rejects.toMatchObject({ code: 'ERR_ELECTION_UNAVAILABLE' });
  expect(await leases.observe()).toEqual({ lease: null, term: 0 });
  const waiting = patient.campaign(bid('a'));
  database.close();
  expect(await waiting).toMatchObject({ kind: 'won' });
});

test('closing ends a verb that waits for a busy file', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const leases = await openLeases(path, { commandTimeoutMs: 60_000 });
  const database = new SqliteDatabase(path);
  database.exec('BEGIN IMMEDIATE');
  const waiting = leases.campaign(bid('a'));
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'ERR_ELECTION_UNAVAILABLE' }), leases.close()]);
  database.close();
});
