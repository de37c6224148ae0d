import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test, vi } from 'vitest';
import { openLeases } from '../election/node.ts';
import { orderings } from '../kinds.ts';
import { report } from '../program.ts';

/** What opens a file, and how each tells what is wrong. */
const openers = [
  {
    name: 'sqlite',
    open: (path: string): Promise<unknown> => sqlite.open({ path }),
    foreign: 'ERR_MEMPOOL_INCOMPATIBLE',
    readOnly: 'ERR_MEMPOOL_READ_ONLY',
    badPath: { code: 'ERR_MEMPOOL_INVALID', details: { field: 'path' } },
  },
  {
    name: 'sqliteElection',
    open: (path: string): Promise<unknown> => openLeases(path),
    foreign: 'ERR_ELECTION_REFUSED',
    readOnly: 'ERR_ELECTION_REFUSED',
    badPath: { code: 'ERR_ELECTION_OPTION', field: 'path' },
  },
];

const foreign: Readonly<Record<string, (path: string) => unknown>> = {
  text: (path) => writeFileSync(path, 'hello'),
  'longer text': (path) => writeFileSync(path, 'x'.repeat(5_000)),
  "Dolos's own": (path) => writeFileSync(path, 'redb\x1A\x0A\xA9\x0D\x0A'.padEnd(9_000, '\0'), 'latin1'),
  "another program's database": (path) => new SqliteDatabase(path).exec('CREATE TABLE note (text TEXT)').close(),
};

test.each(openers)('N2: $name refuses a foreign file and leaves it as it is', async ({ open, ...told }) => {
  for (const make of Object.values(foreign)) {
    const directory = scratchFolder();
    const path = join(directory, 'some.file');
    await make(path);
    const before = readFileSync(path);
    const refused = open(path);
    await expect(refused).rejects.toMatchObject({ code: told.foreign });
    await expect(refused).rejects.toThrow(path);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['some.file']);
  }
});

test.each(openers)(
  'N2: $name refuses a file of an unknown format and leaves it as it is',
  async ({ open, ...told }) => {
    for (const format of [2, 1_002]) {
      const path = join(scratchFolder(), 'pool.db');
      await (await sqlite.open({ path })).close();
      new SqliteDatabase(path).exec(`PRAGMA user_version = ${format}`).close();
      const before = readFileSync(path);
      const refused = open(path);
      await expect(refused).rejects.toMatchObject({ code: told.foreign });
      await expect(refused).rejects.toThrow(
        `it is stored in format ${format}, which this version does not know: ${path}`,
      );
      expect(readFileSync(path)).toEqual(before);
    }
  },
);

test.each(openers)('M2: $name names a path that leads to no file', async ({ open, badPath }) => {
  const directory = scratchFolder();
  for (const path of ['', ':memory:', 'a\0b', directory, join(directory, 'missing', 'pool.db')])
    await expect(open(path)).rejects.toMatchObject(badPath);
});

test.each(openers)('$name without the right to write says so and changes nothing', async ({ name, readOnly }) => {
  const directory = scratchFolder();
  chmodSync(directory, 0o755);
  const path = join(directory, 'pool.db');
  await (await sqlite.open({ path })).close();
  chmodSync(path, 0o444);
  const empty = join(directory, 'empty');
  mkdirSync(empty, { mode: 0o555 });
  const before = readFileSync(path);
  expect(await report('./file/opener.ts', [name, path, join(empty, 'pool.db')])).toEqual([readOnly, readOnly]);
  expect(readFileSync(path)).toEqual(before);
});

test.each(orderings)('N2: a pool is refused under another name or with the other ordering: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  await (await sqlite.open({ path, ordering, pool: 'first' })).close();
  const refused = { code: 'ERR_MEMPOOL_INCOMPATIBLE', details: { key: path } };
  const other = orderings.find((each) => each !== ordering);
  await expect(sqlite.open({ path, ordering: other, pool: 'first' })).rejects.toMatchObject(refused);
  await expect(sqlite.open({ path, ordering, pool: 'second' })).rejects.toMatchObject({ code: refused.code });
  await using again = await sqlite.open({ path, ordering, pool: 'first' });
  expect(again.ordering).toBe(ordering);
});

test('M2 names a wrong value of synchronous', async () => {
  const opening = sqlite.open({ path: join(scratchFolder(), 'pool.db'), synchronous: 'off' as 'full' });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'synchronous' } });
});

test('D1 syncs every commit to the disk unless told otherwise, when it reopens a file too', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const connections = vi.spyOn(SqliteDatabase.prototype, 'pragma').mock.contexts as SqliteDatabase.Database[];
  const levels: unknown[] = [];
  for (const synchronous of [undefined, undefined, 'normal', 'full'] as const) {
    await using store = await sqlite.open({ path, synchronous });
    expect(await store.usage()).toMatchObject({ pending: 0 });
    levels.push(connections.at(-1)?.pragma('synchronous', { simple: true }));
  }
  expect(levels).toEqual([2, 2, 1, 2]);
});

/** CRC-32 of the hash and the payload, as zlib computes it: what any Node must write, and take for right. */
const checksums: readonly (readonly [hash: string, payload: string, checksum: number])[] = [
  ['00', '', 0xd202ef8d],
  ['c0ffee'.padEnd(64, '0'), '', 0x5858ab27],
  ['ff'.repeat(64), '', 0x0f6187ba],
  ['31323334', '3536373839', 0xcbf43926],
];

test('M2: checksums in the file are the same on every Node, those of empty payloads too', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const given = checksums.map(([hash, hex]) => ({
    hash,
    payload: Uint8Array.from(Buffer.from(hex, 'hex')),
    payloadType: 0,
  }));
  await store.receive(given);
  const database = new SqliteDatabase(path);
  const stored = database.prepare('SELECT checksum FROM tx ORDER BY seq').pluck().all();
  database.close();
  expect(stored).toEqual(checksums.map(([, , checksum]) => checksum));
  expect((await store.peekPending()).transactions.map(({ payload }) => Buffer.from(payload).toString('hex'))).toEqual(
    checksums.map(([, hex]) => hex),
  );
});
