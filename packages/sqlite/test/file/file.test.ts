import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test, vi } from 'vitest';
import { transaction } from '../numbered.ts';
import { report } from '../program.ts';

const backends = [sqlite, sqliteExclusive];

for (const backend of backends) {
  test(`N2: ${backend.name} leaves a file of another kind as it is`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    for (const content of ['hello', 'redb\x1A\x0A\xA9\x0D\x0A'.padEnd(9000, '\0'), 'x'.repeat(5000)]) {
      writeFileSync(path, content, 'latin1');
      await expect(backend.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
      expect(readFileSync(path, 'latin1')).toBe(content);
    }
  });

  test(`N2: ${backend.name} leaves another program's database as it is`, async () => {
    const directory = scratchFolder();
    const path = join(directory, 'notes.db');
    new SqliteDatabase(path).exec('CREATE TABLE note (text TEXT)').close();
    const before = readFileSync(path);
    await expect(backend.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['notes.db']);
  });

  test(`N2: ${backend.name} refuses a newer format`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ path })).close();
    const database = new SqliteDatabase(path);
    database.pragma('user_version = 2');
    database.close();
    await expect(backend.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  });

  test(`N2: ${backend.name} refuses another pool's name on a pool's file`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ path, pool: 'first' })).close();
    await expect(backend.open({ path, pool: 'second' })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  });

  test(`M2: ${backend.name} names a wrong option`, async () => {
    const directory = scratchFolder();
    for (const path of ['', ':memory:', 'a\0b', directory, join(directory, 'missing', 'pool.db')])
      await expect(backend.open({ path })).rejects.toMatchObject({
        code: 'ERR_MEMPOOL_INVALID',
        details: { field: 'path' },
      });
    await expect(
      backend.open({ path: join(directory, 'pool.db'), synchronous: 'off' as 'full' }),
    ).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'synchronous' } });
  });

  test(`${backend.name} without the right to write says so and changes nothing`, async () => {
    const directory = scratchFolder();
    chmodSync(directory, 0o755);
    const path = join(directory, 'pool.db');
    await (await backend.open({ path })).close();
    chmodSync(path, 0o444);
    const empty = join(directory, 'empty');
    mkdirSync(empty, { mode: 0o555 });
    const before = readFileSync(path);
    const answers = await report('./file/opener.ts', [backend.name, path, join(empty, 'pool.db')]);
    expect(answers).toEqual(['ERR_MEMPOOL_READ_ONLY', 'ERR_MEMPOOL_READ_ONLY']);
    expect(readFileSync(path)).toEqual(before);
  });

  test(`D1: ${backend.name} syncs every commit to the disk unless told otherwise, when it reopens a file too`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    const connections = vi.spyOn(SqliteDatabase.prototype, 'pragma').mock.contexts as SqliteDatabase.Database[];
    const levels: unknown[] = [];
    for (const synchronous of [undefined, undefined, 'normal', 'full'] as const) {
      await using store = await backend.open({ path, synchronous });
      expect(await store.usage()).toMatchObject({ pending: 0 });
      levels.push(connections.at(-1)?.pragma('synchronous', { simple: true }));
    }
    expect(levels).toEqual([2, 2, 1, 2]);
  });
}

test('sqliteExclusive refuses a second opener, and lets go when it is closed', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const first = await sqliteExclusive.open({ path });
  await expect(sqliteExclusive.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_IN_USE', retryable: true });
  await expect(sqlite.open({ path, timeoutMs: 20 })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNAVAILABLE' });
  await first.close();
  await using second = await sqliteExclusive.open({ path });
  expect(await second.usage()).toMatchObject({ pending: 0 });
});

test('sqliteExclusive refuses a file that others have open', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  await expect(sqliteExclusive.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_IN_USE' });
  expect(await store.receive([transaction(1)])).toMatchObject([{ kind: 'received' }]);
});

test('a file goes from shared to exclusive use and back, and knows its hashes in both', async () => {
  const path = join(scratchFolder(), 'pool.db');
  for (const [n, backend] of [sqlite, sqliteExclusive, sqlite, sqliteExclusive].entries()) {
    await using store = await backend.open({ path });
    const outcomes = await store.receive([...Array(n + 1).keys()].map((each) => transaction(each)));
    expect(outcomes.map(({ kind }) => kind)).toEqual([...Array(n).fill('duplicate'), 'received']);
  }
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
  expect((await store.peekPending()).map(({ payload }) => Buffer.from(payload).toString('hex'))).toEqual(
    checksums.map(([, hex]) => hex),
  );
});
