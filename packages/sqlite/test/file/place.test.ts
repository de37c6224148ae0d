import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLeases } from 'mempool-conformance';
import { type Mempool, type OpenOptions, openMempool } from 'mempool-core';
import { backUpFile, sqlite, sqliteElection } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { orderings } from '../kinds.ts';
import { hashOf, pointOf, transaction } from '../numbered.ts';
import { report } from '../program.ts';
import { hasSmallDisk, onMountedFile } from '../small-disk.ts';

/** What happens to the file of a pool that is open, and whether another one is there then. */
const losses: Readonly<Record<string, (path: string) => Promise<void>>> = {
  deleted: async (path) => rmSync(path),
  'moved away': async (path) => renameSync(path, `${path}-moved`),
  'replaced by another': async (path) => {
    const other = `${path}-other`;
    await (await sqlite.open({ path: other })).close();
    renameSync(other, path);
  },
};

const writes: Readonly<Record<string, (store: Mempool) => Promise<unknown>>> = {
  receive: (store) => store.receive([transaction(7)]),
  markInflight: (store) => store.markInflight([hashOf(1)]),
  drop: (store) => store.drop([hashOf(1)], 'failed'),
  confirm: (store) => store.confirm({ point: pointOf(1), seen: [hashOf(1)], unseen: [] }),
  take: (store) => store.take({}, { owner: 'one', claimMs: 1_000 }),
};

const gone = { code: 'ERR_MEMPOOL_INCOMPATIBLE' };

async function openKept(options: OpenOptions = {}, path = join(scratchFolder(), 'pool.db')) {
  const store = await sqlite.open({ path, ...options });
  onTestFinished(() => store.close());
  await store.receive([transaction(1), transaction(2)]);
  return { store, path };
}

test.each(['-wal', '-shm'].flatMap((end) => orderings.map((ordering) => [end, ordering] as const)))(
  'D1: nothing is answered once the file %s was deleted: %s',
  async (end, ordering) => {
    const { store, path } = await openKept({ ordering });
    renameSync(`${path}${end}`, `${path}-kept`);
    for (const write of Object.values(writes)) await expect(write(store)).rejects.toMatchObject(gone);
    await expect(store.usage()).rejects.toMatchObject({ ...gone, message: expect.stringContaining(`${path}${end}`) });
    renameSync(`${path}-kept`, `${path}${end}`);
    expect(await store.usage()).toMatchObject({ pending: 2, lastSeq: 2 });
  },
);

test('D1: a second copy of SQLite in the process takes the log away, and a close keeps the answered calls', async () => {
  const { store, path } = await openKept();
  const other = new DatabaseSync(path);
  other.prepare('SELECT count(*) FROM step').get();
  other.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  await expect(store.receive([transaction(3)])).rejects.toMatchObject(gone);
  await store.close();
  await using again = await sqlite.open({ path });
  expect(await again.usage()).toMatchObject({ pending: 2, lastSeq: 2 });
});

const severalNames = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'path' } };

test('a file with several hard links is refused, by each name and by every verb', async () => {
  const { store, path } = await openKept();
  await store.close();
  linkSync(path, `${path}-other`);
  for (const name of [path, `${path}-other`]) {
    await expect(sqlite.open({ path: name })).rejects.toMatchObject(severalNames);
    await expect(sqlite.remove({ path: name })).rejects.toMatchObject(severalNames);
    expect(() => backUpFile(name, `${path}-copy`)).toThrow(expect.objectContaining(severalNames));
  }
  rmSync(`${path}-other`);
  await using again = await sqlite.open({ path });
  expect(await again.usage()).toMatchObject({ pending: 2 });
});

test('a name that a killed process left while it made the file does no harm', async () => {
  const { store, path } = await openKept();
  await store.close();
  linkSync(path, `${path}-${randomUUID()}`);
  await using again = await sqlite.open({ path });
  expect(await again.usage()).toMatchObject({ pending: 2 });
  expect(readdirSync(dirname(path)).sort()).toEqual(['pool.db', 'pool.db-shm', 'pool.db-wal']);
});

test.runIf(hasSmallDisk)('a file that is mounted by itself is refused', async () => {
  const { store, path } = await openKept({}, join(scratchFolder(), 'a pool.db'));
  await store.close();
  const other = join(scratchFolder(), 'a pool.db');
  writeFileSync(other, '');
  const found = await report('./file/mounted.ts', [other], onMountedFile(path, other));
  expect(found).toEqual({ code: 'ERR_MEMPOOL_INVALID', message: expect.stringContaining('mount its directory') });
});

test('a link leads to the file: its election and its removal too', async () => {
  const [directory, links] = [scratchFolder(), scratchFolder()];
  const [file, path] = [join(directory, 'target.db'), join(links, 'pool.db')];
  await (await sqlite.open({ path: file })).close();
  symlinkSync(file, path);
  const leases = await openLeases(sqliteElection, { path });
  const candidate = { nodeId: 'one', address: null, priority: 0 };
  await leases.campaign({ candidate, token: 'a', ttlMs: 1_000, floor: 0, dataLoss: 'wait', takeover: null });
  expect(readdirSync(directory)).toContainEqual(expect.stringMatching(/^target\.db-.*-lock$/));
  await leases.close();
  expect(readdirSync(links)).toEqual(['pool.db']);
  expect(await sqlite.remove({ path })).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
  expect(await sqlite.remove({ path })).toBe(false);
});

for (const [what, lose] of Object.entries(losses))
  test.each(orderings)(`D1: nothing is answered from a file that was ${what}: %s`, async (ordering) => {
    const { store, path } = await openKept({ ordering });
    linkSync(path, `${path}-kept`);
    await lose(path);
    for (const write of Object.values(writes)) await expect(write(store)).rejects.toMatchObject(gone);
    await expect(store.usage()).rejects.toMatchObject({ ...gone, message: expect.stringContaining(path) });
    renameSync(`${path}-kept`, path);
    expect(await store.usage()).toMatchObject({ pending: 2, lastSeq: 2, lastEventSeq: 2 });
  });

test.each(orderings)(
  'E4: those who only read notice within seconds that the file was replaced: %s',
  async (ordering) => {
    const { store, path } = await openKept({ ordering });
    const pool = store;
    const events = (await store.subscribe())[Symbol.asyncIterator]();
    const told = [events.next(), pool.waitFor(hashOf(1))].map((each) => expect(each).rejects.toMatchObject(gone));
    await losses['replaced by another']?.(path);
    await Promise.all(told);
    await expect(store.status([hashOf(1)])).rejects.toMatchObject(gone);
  },
);

for (const [what, lose] of Object.entries({ ...losses, 'in a directory that was removed': removeDirectory }))
  test.each(orderings)(
    `D1: the first receive since a pool was opened again is not answered from a file that was ${what}: %s`,
    async (ordering) => {
      const path = join(scratchFolder(), 'within', 'pool.db');
      mkdirSync(dirname(path));
      await (await openKept({ ordering }, path)).store.close();
      const again = await sqlite.open({ path, ordering });
      onTestFinished(() => again.close());
      await lose(path);
      await expect(again.receive([transaction(7)])).rejects.toMatchObject(gone);
    },
  );

async function removeDirectory(path: string): Promise<void> {
  rmSync(dirname(path), { recursive: true });
}

test.each(orderings)('a path that leads nowhere is told as a bad path: %s', async (ordering) => {
  const folder = scratchFolder();
  const [loop, file] = [join(folder, 'loop'), join(folder, 'file')];
  symlinkSync(loop, loop);
  writeFileSync(file, 'a file, not a directory');
  for (const path of [loop, join(loop, 'pool.db'), join(file, 'pool.db'), join(folder, 'n'.repeat(300))])
    for (const create of [true, false])
      await expect(sqlite.open({ path, ordering, create })).rejects.toMatchObject({
        code: 'ERR_MEMPOOL_INVALID',
        details: { field: 'path' },
      });
});

test.each(orderings)('a log whose file was moved away is played into no new pool: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path, ordering });
  await store.receive([transaction(1), transaction(2)]);
  copyFileSync(`${path}-wal`, `${path}-log`);
  await store.close();
  renameSync(path, `${path}-moved`);
  renameSync(`${path}-log`, `${path}-wal`);
  const opening = sqlite.open({ path, ordering });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT', details: { key: `${path}-wal` } });
  expect(existsSync(path)).toBe(false);
  renameSync(`${path}-moved`, path);
  await using again = await sqlite.open({ path, ordering });
  expect(await again.usage()).toMatchObject({ pending: 2 });
});

test('a path that is a device is refused by name', async () => {
  const opening = sqlite.open({ path: '/dev/zero' });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'path' } });
});

test('D1: a file that comes back is written again', async () => {
  const { store, path } = await openKept();
  renameSync(path, `${path}-moved`);
  await expect(store.receive([transaction(3)])).rejects.toMatchObject(gone);
  renameSync(`${path}-moved`, path);
  expect(await store.receive([transaction(3)])).toMatchObject([{ kind: 'received', seq: 3 }]);
});

test('a file in a directory that nobody can look into is out of reach, not lost', async () => {
  const path = join(scratchFolder(), 'within', 'pool.db');
  mkdirSync(dirname(path));
  const { store } = await openKept({ timeoutMs: 50 }, path);
  renameSync(dirname(path), `${dirname(path)}-moved`);
  symlinkSync(dirname(path), dirname(path));
  const unreachable = { code: 'ERR_MEMPOOL_UNAVAILABLE', message: expect.stringContaining(path) };
  await expect(store.receive([transaction(3)])).rejects.toMatchObject(unreachable);
  await expect(store.usage()).rejects.toMatchObject(unreachable);
  rmSync(dirname(path));
  renameSync(`${dirname(path)}-moved`, dirname(path));
  expect(await store.usage()).toMatchObject({ pending: 2 });
});

test('an election in a file that was deleted gives no lease', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const leases = await openLeases(sqliteElection, { path });
  onTestFinished(() => leases.close());
  rmSync(path);
  const candidate = { nodeId: 'one', address: null, priority: 0 };
  const request = { candidate, token: 'a', ttlMs: 1_000, floor: 0, dataLoss: 'wait', takeover: null } as const;
  await expect(leases.campaign(request)).rejects.toMatchObject({ code: 'ERR_ELECTION_REFUSED' });
});

test.each(orderings)('M2: a file cut to nearly nothing is no new pool: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  for (const bytes of [0, 1, 15, 16, 99, 100, 2_000]) {
    const { store } = await openKept({ ordering }, path);
    await store.close();
    truncateSync(path, bytes);
    await expect(sqlite.open({ path, ordering })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
    for (const file of readdirSync(join(path, '..'))) rmSync(join(path, '..', file));
  }
});

test.each(orderings)('without create the file must be there: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  const refusal = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'path' } };
  await expect(sqlite.open({ path, ordering, create: false })).rejects.toMatchObject(refusal);
  expect(existsSync(path)).toBe(false);
  await (await sqlite.open({ path, ordering, create: true })).close();
  await (await sqlite.open({ path, ordering, create: false })).close();
  const wrong = sqlite.open({ path, ordering, create: 'no' as unknown as boolean });
  await expect(wrong).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'create' } });
});

test('a file in a folder that is not there is refused by its path', async () => {
  const path = join(scratchFolder(), 'none', 'pool.db');
  const refusal = { code: 'ERR_MEMPOOL_INVALID', message: expect.stringContaining(path), details: { field: 'path' } };
  await expect(sqlite.open({ path })).rejects.toMatchObject(refusal);
  const lost = { code: 'ERR_ELECTION_OPTION', message: expect.stringContaining(path), field: 'path' };
  await expect(openLeases(sqliteElection, { path })).rejects.toMatchObject(lost);
});

test('a configuration makes the folder where Dolos does, and no file where its options say so', async () => {
  const path = join(scratchFolder(), 'data');
  const storage = { path, mempool: { backend: 'redb', path: 'one/pool.db' } } as const;
  const options = { create: false };
  const wanting = openMempool({ backend: 'sqlite', path: join(path, 'pool.db'), options }, { sqlite });
  await expect(wanting).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'path' } });
  await (await openMempool({ storage }, { sqlite })).close();
  const file = join(path, 'one', 'pool.db');
  expect(existsSync(file)).toBe(true);
  await (await openMempool({ backend: 'sqlite', path: file, options }, { sqlite })).close();
  const wrong = openMempool({ backend: 'sqlite', path: file, options: { creat: false } }, { sqlite });
  await expect(wrong).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'creat' } });
});

test('a link to a file that is not there yet leads to the pool', async () => {
  const directory = scratchFolder();
  symlinkSync(join(directory, 'target.db'), join(directory, 'pool.db'));
  const { store } = await openKept({}, join(directory, 'pool.db'));
  expect(existsSync(join(directory, 'target.db'))).toBe(true);
  expect(await store.usage()).toMatchObject({ pending: 2 });
});
