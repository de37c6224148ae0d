import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { defaultLimits } from 'mempool-core';
import { formatVersion } from 'mempool-core/backend';
import { createElection } from 'mempool-election';
import { sqlite, sqliteElection, sqliteExclusive } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, priced, transaction } from '../numbered.ts';

const priority = { ordering: 'priority' } as const;

/** What the file's header says of its format, which every build has looked at before anything else. */
function formatOf(path: string): unknown {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true });
  } finally {
    database.close();
  }
}

function tablesOf(path: string): unknown[] {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  } finally {
    database.close();
  }
}

for (const backend of [sqlite, sqliteExclusive]) {
  test(`N2: a pool keeps its order: ${backend.name} refuses to open it with the other one`, async () => {
    const directory = scratchFolder();
    for (const [ordering, other] of [
      ['fifo', 'priority'],
      ['priority', 'fifo'],
    ] as const) {
      const path = join(directory, `${ordering}.db`);
      await (await backend.open({ path, ordering })).close();
      const refused = { code: 'ERR_MEMPOOL_INCOMPATIBLE', details: { key: path } };
      await expect(backend.open({ path, ordering: other })).rejects.toMatchObject(refused);
      await using again = await backend.open({ path, ordering });
      expect(again.ordering).toBe(ordering);
    }
  });

  test(`N2: ${backend.name} marks a priority pool's file with a format that builds without such pools refuse`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ path, ...priority })).close();
    // They take this one and no other.
    expect(formatVersion).toBe(1);
    expect(formatOf(path)).toBe(1_001);
  });

  test(`${backend.name} makes nothing of priority pools in a pool in order of arrival`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ path })).close();
    expect(formatOf(path)).toBe(formatVersion);
    for (const table of ['priority_pool', 'entry', 'satisfied', 'change']) expect(tablesOf(path)).not.toContain(table);
  });

  test(`the limits that an open of ${backend.name} names are stored, the others stay as they were`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ path, ...priority, maxTxs: 7, ttlMs: 50, eviction: 'none' })).close();
    await (await backend.open({ path, ...priority, maxPerSender: 3, ttlMs: Number.POSITIVE_INFINITY })).close();
    await using store = await backend.open({ path, ...priority });
    expect((await store.dump()).limits).toEqual({ ...defaultLimits, maxTxs: 7, maxPerSender: 3, eviction: 'none' });
  });
}

test('a priority pool can be made in a file that an election made', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const election = createElection(sqliteElection, { path, nodeId: 'one' });
  await election.start();
  await election.runAsLeader(async () => undefined);
  expect(formatOf(path)).toBe(formatVersion);
  await using store = await sqlite.open({ path, ...priority });
  expect(await store.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
  expect(formatOf(path)).toBe(1_001);
  await election[Symbol.asyncDispose]();
});

test('an election works in the file of a priority pool, and its leader applies blocks', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, ...priority, fenced: true });
  await store.receive([priced(1)]);
  const block = { point: { slot: 1, hash: hashOf(99) }, seen: [hashOf(1)], unseen: [] };
  expect(await store.confirm(block)).toMatchObject({ kind: 'fenced' });
  await using election = createElection(sqliteElection, { path, nodeId: 'one' });
  await election.start();
  const outcome = await election.runAsLeader((_signal, _term, { lease }) => store.confirm(block, {}, { lease }));
  expect(outcome).toMatchObject({ kind: 'applied', confirmed: 1 });
});

test('limits that another process names at its open are in force for those that have the pool open', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await sqlite.open({ path, ...priority });
  await first.receive([priced(1), priced(2)]);
  await using second = await sqlite.open({ path, ...priority, maxTxs: 2, eviction: 'none' });
  expect(await first.receive([priced(3)])).toMatchObject([{ kind: 'full' }]);
  expect(await second.usage()).toMatchObject({ pending: 2, load: { headroom: { transactions: 0 } } });
});

test('a priority pool goes from shared to exclusive use and back, and knows its transactions in both', async () => {
  const path = join(scratchFolder(), 'pool.db');
  for (const [n, backend] of [sqlite, sqliteExclusive, sqlite, sqliteExclusive].entries()) {
    await using store = await backend.open({ path, ...priority });
    const outcomes = await store.receive(Array.from({ length: n + 1 }, (_, i) => transaction(i)));
    expect(outcomes.map(({ kind }) => kind)).toEqual([...Array(n).fill('duplicate'), 'received']);
  }
});
