import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import type { MempoolStore, Transaction } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { expect, test } from 'vitest';
import { numbers, payloadOf } from './numbered.ts';
import { scratch } from './scratch.ts';

/** Hashes that differ in front of their last eight bytes only. */
function alike(n: number): Transaction {
  return { hash: `${n.toString(16).padStart(8, '0')}${'ab'.repeat(8)}`, payload: payloadOf(n), payloadType: n };
}

function unlike(n: number): Transaction {
  return { ...alike(n), hash: n.toString(16).padStart(64, '0') };
}

function indexesOf(path: string): unknown[] {
  const database = new SqliteDatabase(path, { readonly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'tx_hash%'").pluck().all();
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
  return names;
}

async function kinds(store: MempoolStore, transactions: readonly Transaction[]): Promise<string[]> {
  return (await store.receive(transactions)).map(({ kind }) => kind);
}

const ofEnds = ['tx_hash_end'];
const ofWhole = ['tx_hash'];

test('hashes are found by their ends while no two of them end alike', async () => {
  const path = join(scratch(), 'pool.db');
  await using store = await sqlite.open({ path });
  expect(await kinds(store, numbers(300).map(unlike))).toEqual(Array(300).fill('received'));
  expect(await kinds(store, numbers(300).map(unlike))).toEqual(Array(300).fill('duplicate'));
  expect(indexesOf(path)).toEqual(ofEnds);
});

const orders: readonly (readonly [how: string, first: readonly number[], second: readonly number[]])[] = [
  ['in one call', [], [1, 2, 3, 2]],
  ['in two calls', [1], [2, 3, 2]],
  ['behind known ones and before new ones', [1, 4], [4, 2, 3, 2]],
];
for (const [how, first, second] of orders)
  test(`L1: hashes that end alike, received ${how}, are transactions of their own`, async () => {
    const path = join(scratch(), 'pool.db');
    await using store = await sqlite.open({ path });
    await using other = await sqlite.open({ path });
    await store.receive([unlike(1), ...first.map(alike)]);
    const known = new Set<number>([...first, ...second]);
    const isNew = (n: number, i: number) => ![...first, ...second.slice(0, i)].includes(n);
    expect(await kinds(store, second.map(alike))).toEqual(
      second.map((n, i) => (isNew(n, i) ? 'received' : 'duplicate')),
    );
    expect(indexesOf(path)).toEqual(ofWhole);
    for (const pool of [store, other]) {
      const hashes = [...known].map((n) => alike(n).hash);
      expect((await pool.checkStatus(hashes)).map(({ stage }) => stage)).toEqual(hashes.map(() => 'Pending'));
      expect(await kinds(pool, [unlike(1), ...[...known].map(alike)])).toEqual(Array(known.size + 1).fill('duplicate'));
    }
    const page = await other.peekPending({ limit: 100 });
    expect(new Map(page.map(({ hash, payloadType }) => [hash, payloadType]))).toEqual(
      new Map([[unlike(1).hash, 1], ...[...known].map((n) => [alike(n).hash, n] as const)]),
    );
  });

test('L2: a new life of one that ended is none of another whose hash ends alike', async () => {
  const path = join(scratch(), 'pool.db');
  await using store = await sqlite.open({ path });
  await store.receive([alike(1)]);
  await store.drop([alike(1).hash], 'gone');
  expect(await kinds(store, [alike(2)])).toEqual(['received']);
  expect(await kinds(store, [alike(1)])).toEqual(['received']);
  expect(await store.usage()).toMatchObject({ pending: 2, lastSeq: 3, logged: 1 });
});

test('short hashes are told apart, from each other and from the end of a longer one', async () => {
  const path = join(scratch(), 'pool.db');
  await using store = await sqlite.open({ path });
  const hashes = ['ab', 'abab', 'ab'.repeat(7), 'ab'.repeat(8), 'ab'.repeat(9), 'cdab'];
  const transactions = hashes.map((hash, n) => ({ hash, payload: payloadOf(n), payloadType: n }));
  expect(await kinds(store, transactions)).toEqual(hashes.map(() => 'received'));
  expect(await kinds(store, transactions)).toEqual(hashes.map(() => 'duplicate'));
});

test('X1: a call that fails behind hashes that end alike leaves the file as it was, its index too', async () => {
  const path = join(scratch(), 'pool.db');
  await using store = await sqlite.open({ path });
  await store.receive([alike(1)]);
  const operator = new SqliteDatabase(path);
  operator.exec("CREATE TRIGGER refusal BEFORE INSERT ON pending BEGIN SELECT RAISE(ABORT, 'refused'); END");
  await expect(store.receive([alike(2)])).rejects.toThrow();
  operator.exec('DROP TRIGGER refusal');
  operator.close();
  expect(indexesOf(path)).toEqual(ofEnds);
  expect(await kinds(store, [alike(1), alike(2)])).toEqual(['duplicate', 'received']);
  expect(indexesOf(path)).toEqual(ofWhole);
});

test('a file goes from shared to exclusive use and back with the index that its hashes need', async () => {
  const path = join(scratch(), 'pool.db');
  for (const [backend, index] of [
    [sqlite, ofEnds],
    [sqliteExclusive, []],
    [sqlite, ofEnds],
  ] as const) {
    await (await backend.open({ path })).close();
    expect(indexesOf(path)).toEqual(index);
  }
  const alone = await sqliteExclusive.open({ path });
  expect(await kinds(alone, [alike(1), alike(2)])).toEqual(['received', 'received']);
  await alone.close();
  await using shared = await sqlite.open({ path });
  expect(indexesOf(path)).toEqual(ofWhole);
  expect(await kinds(shared, [alike(1), alike(2), alike(3)])).toEqual(['duplicate', 'duplicate', 'received']);
});

test('N2: a file of a build that indexed whole hashes keeps that index, which such builds rely on', async () => {
  const path = join(scratch(), 'pool.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL('./fixtures/format-1.db.gz', import.meta.url))));
  expect(indexesOf(path)).toEqual(ofWhole);
  await using store = await sqlite.open({ path });
  expect(await kinds(store, [unlike(901), unlike(902), unlike(901)])).toEqual(['received', 'received', 'duplicate']);
  expect(indexesOf(path)).toEqual(ofWhole);
});

test('a damaged order of arrival is not taken for hashes that end alike', async () => {
  const path = join(scratch(), 'pool.db');
  await using store = await sqlite.open({ path });
  await store.receive([unlike(1)]);
  const operator = new SqliteDatabase(path);
  operator.exec('UPDATE tx SET seq = 2');
  operator.close();
  await expect(store.receive([unlike(2)])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  expect(indexesOf(path)).toEqual(ofEnds);
});
