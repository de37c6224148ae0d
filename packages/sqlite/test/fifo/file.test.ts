import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import type { MempoolStore } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { fillSample, sampleOptions } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

/** A file that a build before these verbs has made. */
function stored(): string {
  const path = join(scratchFolder(), 'pool.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL('../fixtures/fifo-1.db.gz', import.meta.url))));
  return path;
}

interface Shape {
  readonly schema: readonly unknown[];
  readonly columns: readonly unknown[];
}

function shapeOf(path: string): Shape {
  const database = new SqliteDatabase(path, { readonly: true });
  const schema = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all();
  const columns = database.prepare("SELECT name FROM pragma_table_info('pool')").pluck().all();
  database.close();
  return { schema, columns };
}

function namesOf({ schema }: Shape): string[] {
  return schema.map((row) => (row as { name: string }).name);
}

/** Every verb that such a pool had before, and of the new ones those that keep nothing. */
async function live(store: MempoolStore): Promise<void> {
  await fillSample(store, 'fifo');
  await store.setLimits({});
  await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
  await store.reap({ maxBytes: 100 });
  await store.since();
  await store.payloads([hashOf(1)]);
  await store.sweep();
  await store.flush();
}

for (const backend of [sqlite, sqliteExclusive]) {
  test(`N2: ${backend.name} makes no table of claims until somebody takes or sets a limit`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await (await backend.open({ ...sampleOptions('fifo'), path })).close();
    const before = shapeOf(path);
    const store = await backend.open({ ...sampleOptions('fifo'), path });
    await live(store);
    await store.close();
    expect(shapeOf(path)).toEqual(before);
    expect(namesOf(shapeOf(path))).not.toContain('take_lease');
  });

  test(`N2: in ${backend.name} a file of before gains one table and two columns with the first take, and is read on`, async () => {
    const path = stored();
    await (await backend.open({ ...sampleOptions('fifo'), path })).close();
    const before = shapeOf(path);
    const store = await backend.open({ ...sampleOptions('fifo'), path, now: () => 1_000 });
    const claim = await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50 });
    expect(claim.transactions).toHaveLength(2);
    await store.close();
    const after = shapeOf(path);
    expect(after.columns).toEqual([...before.columns, 'capacity', 'leases']);
    expect(namesOf(after)).toEqual(expect.arrayContaining([...namesOf(before).filter((name) => name !== 'tx_hash')]));
    await using again = await backend.open({ ...sampleOptions('fifo'), path, now: () => 2_000 });
    expect((await again.sweep()).returned).toEqual(claim.transactions.map(({ hash }) => hash));
  });
}

test('a take that fails half-way leaves nothing of itself in the file, and the next one does not miss it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  await store.receive(numbers(3).map((n) => transaction(n)));
  const before = shapeOf(path);
  const operator = new SqliteDatabase(path);
  operator.exec("CREATE TRIGGER refusal BEFORE INSERT ON inflight BEGIN SELECT RAISE(ABORT, 'refused'); END");
  await expect(store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 1 })).rejects.toThrow();
  operator.exec('DROP TRIGGER refusal');
  operator.close();
  expect(shapeOf(path)).toEqual(before);
  expect(await store.usage()).toMatchObject({ pending: 3, propagated: 0 });
  expect((await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 1 })).transactions).toHaveLength(2);
  expect(shapeOf(path).columns).toEqual([...before.columns, 'capacity', 'leases']);
});

test('a process that had the file open before the first take sees its leases, and ends them', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using early = await sqlite.open({ path, now: () => 2_000 });
  await early.receive(numbers(3).map((n) => transaction(n)));
  await using taker = await sqlite.open({ path, now: () => 1_000 });
  await taker.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
  await early.confirm({ point: pointOf(1), seen: [hashOf(0)], unseen: [] });
  await early.markAcknowledged([hashOf(1)]);
  expect((await early.sweep()).returned).toEqual([hashOf(2)]);
  const again = await taker.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
  expect(again.transactions).toEqual([]);
});
