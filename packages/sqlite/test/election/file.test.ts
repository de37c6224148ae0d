import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { transaction } from '../numbered.ts';
import { report } from '../program.ts';
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

test('an election is held in the file of a pool, open or not', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const pool = await sqlite.open({ path });
  await pool.receive([transaction(1)]);
  const lease = await win(await openLeases(path), 'a');
  await pool.close();
  expect(await (await openLeases(path)).observe()).toMatchObject({ lease: { nodeId: 'a', term: lease.term } });
});

test('N2: an election is held in a file of format 1 from before elections, which keeps what it has', async () => {
  const path = join(scratchFolder(), 'pool.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL('../fixtures/format-1.db.gz', import.meta.url))));
  const leases = await openLeases(path);
  const lease = await win(leases, 'a');
  await using pool = await sqlite.open({ path });
  expect((await pool.usage()).lastSeq).toBeGreaterThan(0);
  expect(await leases.observe()).toMatchObject({ term: lease.term });
});

test("another program's database, a file of another kind and a newer format are refused and stay as they are", async () => {
  const directory = scratchFolder();
  const [notes, text, newer] = ['notes.db', 'text', 'newer.db'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  new SqliteDatabase(notes).exec('CREATE TABLE note (text TEXT)').close();
  writeFileSync(text, 'x'.repeat(5000));
  await (await sqlite.open({ path: newer })).close();
  const database = new SqliteDatabase(newer);
  database.pragma('user_version = 2');
  database.close();
  for (const path of [notes, text, newer]) {
    const before = readFileSync(path);
    const refused = openLeases(path);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_ELECTION_REFUSED' });
    await expect(refused).rejects.toThrow(path);
    expect(readFileSync(path)).toEqual(before);
  }
  expect(readdirSync(directory).sort()).toEqual(['newer.db', 'notes.db', 'text']);
});

test('a path that names no file is a wrong option', async () => {
  const directory = scratchFolder();
  for (const path of ['', ':memory:', 'a\0b', directory, join(directory, 'missing', 'pool.db')])
    await expect(openLeases(path)).rejects.toMatchObject({ code: 'ERR_ELECTION_OPTION', field: 'path' });
});

test('a file without the right to write is refused and stays as it is', async () => {
  const directory = scratchFolder();
  chmodSync(directory, 0o755);
  const path = join(directory, 'pool.db');
  await (await sqlite.open({ path })).close();
  chmodSync(path, 0o444);
  const empty = join(directory, 'empty');
  mkdirSync(empty, { mode: 0o555 });
  const before = readFileSync(path);
  const answers = await report('./election/unprivileged.ts', [path, join(empty, 'pool.db')]);
  expect(answers).toEqual(['ERR_ELECTION_REFUSED', 'ERR_ELECTION_REFUSED']);
  expect(readFileSync(path)).toEqual(before);
});

const damages = {
  'a token that is no text': "token = x'00'",
  'no node id': 'node_id = NULL',
  'an expiry that is text': "expires = 'soon'",
  'a negative term': 'term = -1',
} as const;

for (const [what, change] of Object.entries(damages))
  test(`M2: a lease with ${what} is refused as damaged, by the election and the pool`, async () => {
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
