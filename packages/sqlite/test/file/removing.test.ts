import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { openLeases, win } from '../election/node.ts';
import { transaction } from '../numbered.ts';
import { report, start } from '../program.ts';

const inUse = { code: 'ERR_MEMPOOL_IN_USE', retryable: true };
const incompatible = { code: 'ERR_MEMPOOL_INCOMPATIBLE' };

test('D4: locks of every election of the file go with it, of other names too', async () => {
  const directory = scratchFolder();
  const path = join(directory, 'pool.db');
  for (const name of ['watcher', 'sequencer']) {
    const leases = await openLeases(path, { name });
    await win(leases, 'a');
    await leases.close();
  }
  writeFileSync(`${path}-other-lock`, 'of nobody');
  expect(await sqlite.remove({ path })).toBe(true);
  expect(readdirSync(directory)).toEqual(['pool.db-other-lock']);
});

test('D4 removes no file that a store or an election has open', async () => {
  const path = join(scratchFolder(), 'pool.db');
  for (const open of [() => sqlite.open({ path }), () => openLeases(path)]) {
    const opened = await open();
    await expect(sqlite.remove({ path })).rejects.toMatchObject(inUse);
    await opened.close();
  }
  await using store = await sqlite.open({ path });
  expect(await store.receive([transaction(1)])).toMatchObject([{ kind: 'received' }]);
  await expect(sqlite.remove({ path })).rejects.toMatchObject(inUse);
  expect(await store.receive([transaction(2)])).toMatchObject([{ kind: 'received', seq: 2 }]);
});

test('D4: a file that another process has open stays; when that is killed, it goes with the log that it left', async () => {
  const directory = scratchFolder();
  const path = join(directory, 'pool.db');
  const child = start('./file/keeper.ts', [path]);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await expect(sqlite.remove({ path })).rejects.toMatchObject(inUse);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(directory)).toContain('pool.db-wal');
  expect(await sqlite.remove({ path })).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});

const foreign: Readonly<Record<string, (path: string) => unknown>> = {
  text: (path) => writeFileSync(path, 'x'.repeat(5_000)),
  'an empty database': (path) => new SqliteDatabase(path).exec('VACUUM').close(),
  "another program's database": (path) => new SqliteDatabase(path).exec('CREATE TABLE note (text TEXT)').close(),
  'another kind of file': (path) => {
    const database = new SqliteDatabase(path);
    database.pragma('application_id = 1');
    database.close();
  },
  'another pool': async (path) => (await sqlite.open({ path, pool: 'other' })).close(),
  'a newer format': async (path) => {
    await (await sqlite.open({ path })).close();
    const database = new SqliteDatabase(path);
    database.pragma('user_version = 3');
    database.close();
  },
};

test('D4 removes no file but that of the pool', async () => {
  for (const make of Object.values(foreign)) {
    const path = join(scratchFolder(), 'some.file');
    await make(path);
    const before = readFileSync(path);
    await expect(sqlite.remove({ path })).rejects.toMatchObject(incompatible);
    expect(readFileSync(path)).toEqual(before);
  }
});

test('D4: where there is no file, nothing is removed or made', async () => {
  const directory = scratchFolder();
  expect(await sqlite.remove({ path: join(directory, 'pool.db') })).toBe(false);
  expect(await sqlite.remove({ path: join(directory, 'none', 'pool.db') })).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
  await expect(sqlite.remove({ path: '' })).rejects.toMatchObject({ details: { field: 'path' } });
  await expect(sqlite.remove({ path: directory })).rejects.toMatchObject({ details: { field: 'path' } });
});

test('D4: who opens a file that others remove has a whole pool until it is closed', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const others = [0, 1, 2].map((n) => report('./file/remover.ts', [path, String(n * 1_000_000), '5']));
  expect(await Promise.all(others)).toEqual([5, 5, 5]);
  expect(readdirSync(dirname(path))).toEqual([]);
});
