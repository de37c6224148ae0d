import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Logger, Mempool, OpenOptions } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { cursorAt } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { orderings } from '../kinds.ts';
import { hashOf, numbers, payloadOf, pointOf, priced, submission, transaction } from '../numbered.ts';

// What a pool does without one of its records is a conformance case (M2/damaged-...). Here are rows that only this file has.

function damage(path: string, sql: string): void {
  const database = new SqliteDatabase(path);
  database.exec(sql);
  database.close();
}

/** A pool of 0 to 5: 0 is Dropped, 1 Confirmed, 2 Propagated, the rest Pending; opened after its file was damaged. */
async function openDamaged(sql: string, options: OpenOptions = {}): Promise<Mempool> {
  const path = join(scratchFolder(), 'pool.db');
  const { log, ordering = 'fifo', ...policy } = options;
  const made = await sqlite.open({ path, ordering, ...policy });
  await made.receive(numbers(6).map((n) => submission(ordering, n)));
  await made.drop([hashOf(0)], 'failed');
  await made.markInflight([hashOf(2)]);
  await made.confirm({ point: pointOf(1), seen: [hashOf(1)], unseen: [] });
  await made.close();
  damage(path, sql);
  const store = await sqlite.open({ path, ...options });
  onTestFinished(() => store.close());
  return store;
}

function heard(): { log: Logger; warnings: unknown[] } {
  const warnings: unknown[] = [];
  return { warnings, log: (_level, _message, fields) => warnings.push(fields) };
}

const order = async (store: Mempool) => (await store.reap()).map(({ hash }) => hash);

const places = [
  { what: 'an unreadable stage', sql: 'UPDATE inflight SET stage = 9 WHERE seq = 3' },
  { what: 'no place', sql: 'DELETE FROM inflight WHERE seq = 3' },
].flatMap((row) => orderings.map((ordering) => ({ ...row, ordering })));

test.each(places)(
  'M2: a transaction with $what counts as in flight, and drop removes it: $ordering',
  async ({ ordering, sql }) => {
    const { log, warnings } = heard();
    const store = await openDamaged(sql, { ordering, log });
    // Only a priority pool reads all of the file when it is opened.
    expect(warnings).toEqual(ordering === 'fifo' ? [] : [{ hash: hashOf(2), seq: 3 }]);
    const told = await store.status([hashOf(2), hashOf(3)]);
    expect(told).toMatchObject([{ stage: 'Propagated' }, { stage: 'Pending' }]);
    expect(await store.drop([hashOf(2)], 'damaged')).toEqual([hashOf(2)]);
    expect(await store.status([hashOf(2)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
    expect(await store.usage()).toMatchObject({ pending: 3, propagated: 0, confirmed: 1, logged: 2 });
  },
);

test.each(orderings)(
  'M2: a transaction with a damaged type is skipped, and dropped by a write: %s',
  async (ordering) => {
    const { log, warnings } = heard();
    const store = await openDamaged("UPDATE tx SET type = 'none' WHERE seq = 5", { ordering, log });
    expect((await store.peekPending()).transactions).toMatchObject([{ hash: hashOf(3) }, { hash: hashOf(5) }]);
    expect(await store.payloads([hashOf(3), hashOf(4)])).toMatchObject([{ hash: hashOf(3) }, null]);
    expect(warnings).toEqual([{ hash: hashOf(4), seq: 5 }]);
    await store.sweep();
    expect(await store.status([hashOf(4)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
  },
);

/** Rows of a fifo pool that may be lost: of what is Propagated (seq 3) and Confirmed (seq 2). */
const lostRows = [
  { what: 'lost', sql: (seq: number) => `DELETE FROM tx WHERE seq = ${seq}` },
  { what: 'without its hash', sql: (seq: number) => `UPDATE tx SET hash = x'' WHERE seq = ${seq}` },
];

test.each(lostRows)(
  'M2: a row $what stops no block that would drop its transaction, is warned of once and stays stepped over',
  async ({ sql }) => {
    const { log, warnings } = heard();
    const store = await openDamaged(sql(3), { log });
    const drops = { dropThreshold: 1 };
    const first = await store.confirm({ point: pointOf(2), seen: [hashOf(3)], unseen: [] }, drops);
    const second = await store.confirm({ point: pointOf(3), seen: [], unseen: [] }, drops);
    expect([first, second]).toMatchObject([
      { kind: 'applied', confirmed: 1, dropped: 0 },
      { kind: 'applied', dropped: 0 },
    ]);
    expect(warnings).toEqual([{ hash: '', seq: 3 }]);
    expect((await store.peekInflight()).transactions.map(({ seq }) => seq)).toEqual([2, 4]);
  },
);

test.each(lostRows)(
  'M2: a row $what stops no block that would finalise its transaction, and no rollback',
  async ({ sql }) => {
    const store = await openDamaged(sql(2), { finalizeThreshold: 2 });
    const block = { point: pointOf(2), seen: [hashOf(2)], unseen: [] };
    expect(await store.confirm(block)).toMatchObject({ kind: 'applied', confirmed: 1, finalized: 0 });
    expect(await store.rollback('origin')).toMatchObject({ kind: 'rolled-back', undone: 2, returned: 1 });
    expect(await store.status([hashOf(2)])).toMatchObject([{ stage: 'Pending' }]);
  },
);

test('M2: one with a damaged confirming block counts as in flight, and stops no block after it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, finalizeThreshold: 4, maxRollback: 1 });
  const block = (n: number, ...seen: string[]) => store.confirm({ point: pointOf(n), seen, unseen: [] });
  await store.receive([transaction(0)]);
  await block(1, hashOf(0));
  await block(2);
  damage(path, "UPDATE inflight SET point = x'00' WHERE seq = 1");
  expect(await store.status([hashOf(0)])).toMatchObject([{ stage: 'Propagated' }]);
  for (const n of [3, 4]) expect(await block(n)).toMatchObject({ kind: 'applied' });
  expect(await store.dumpFinalized()).toMatchObject({ entries: [], hasMore: false });
});

test('M2: a stage damaged into another one leaves the pool usable', async () => {
  const store = await openDamaged('UPDATE inflight SET stage = 2 WHERE seq = 3');
  expect(await store.release([hashOf(2)])).toEqual([hashOf(2)]);
  expect(await store.usage()).toMatchObject({ pending: 4, propagated: 0, acknowledged: 0, confirmed: 1 });
});

test('M2: a transaction that returns without its row is counted and reported', async () => {
  const { log, warnings } = heard();
  const store = await openDamaged('DELETE FROM tx WHERE seq = 2', { finalizeThreshold: 1, log });
  await store.drop(numbers(3, 3).map(hashOf), 'failed');
  expect(await store.rollback('origin')).toMatchObject({ returned: 1 });
  expect(await store.usage()).toMatchObject({ pending: 1 });
  expect((await store.peekPending()).transactions).toEqual([]);
  expect(warnings).toContainEqual({ hash: '', seq: 2 });
});

test('M2: a damaged hash is noticed by its payload', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const whole = await sqlite.open({ path });
  await whole.receive(numbers(30).map((n) => transaction(n)));
  await whole.close();
  const bytes = readFileSync(path);
  // In the payload's place and wherever SQLite left an old copy of its page.
  for (let at = bytes.indexOf(payloadOf(10)); at >= 0; at = bytes.indexOf(payloadOf(10), at + 1))
    bytes.writeUInt8(bytes.readUInt8(at - 20) ^ 1, at - 20);
  writeFileSync(path, bytes);
  const { log, warnings } = heard();
  await using store = await sqlite.open({ path, log });
  expect((await store.peekPending()).transactions).toHaveLength(29);
  expect(warnings).toMatchObject([{ seq: 11 }]);
});

test('M2: gossip of hashes goes past damaged hashes, also where a page has nothing else', async () => {
  const store = await openDamaged('UPDATE tx SET hash = zeroblob(100 + seq) WHERE seq IN (3, 4)');
  const next = await cursorAt(store, 'gossip', 6);
  const intact = { items: [{ seq: 5 }, { seq: 6 }], next };
  expect(await store.since({ limit: 2, hashesOnly: true })).toMatchObject(intact);
  expect(await store.since()).toMatchObject(intact);
});

test('a pool cut short is an error', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path });
  await store.receive(numbers(300).map((n) => transaction(n)));
  await store.close();
  truncateSync(path, Math.floor(readFileSync(path).length / 2));
  const reading = async () => {
    await using cut = await sqlite.open({ path });
    const page = (await cut.peekPending({ limit: 1000 })).transactions;
    for (const { hash, payload } of page) expect(payload).toEqual(payloadOf(Number.parseInt(hash, 16)));
    await cut.status(numbers(300).map(hashOf));
  };
  await expect(reading()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
});

// What only a priority pool keeps.

const ordering = 'priority';

test.each([
  { what: 'cut short', sql: "UPDATE entry SET record = x'80' WHERE seq = 5" },
  { what: 'no CBOR', sql: "UPDATE entry SET record = x'ff' WHERE seq = 5" },
  { what: 'lost', sql: 'DELETE FROM entry WHERE seq = 5' },
])(
  'M2: a transaction whose entry is $what is reported and dropped by a write, and it can come again',
  async ({ sql }) => {
    const { log, warnings } = heard();
    const store = await openDamaged(sql, { ordering, log });
    expect(warnings).toEqual([{ hash: hashOf(4), seq: 5 }]);
    expect(await order(store)).toEqual([5, 3].map(hashOf));
    const tagged = priced(6, { priority: 99n, provides: [`lost:${hashOf(4)}`] });
    expect(await store.receive([tagged])).toMatchObject([{ kind: 'received' }]);
    expect(await store.status([hashOf(4)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
    await store.receive([priced(4, { priority: 4n })]);
    expect(await order(store)).toEqual([6, 5, 4, 3].map(hashOf));
  },
);

test('M2: a lost row is warned of, and stops neither the other transactions nor a block', async () => {
  const { log, warnings } = heard();
  const store = await openDamaged('DELETE FROM tx WHERE seq IN (3, 5)', { ordering, log });
  expect(warnings).toEqual([
    { hash: '', seq: 5 },
    { hash: '', seq: 3 },
  ]);
  expect(await order(store)).toEqual([5, 3].map(hashOf));
  expect(await store.confirm({ point: pointOf(2), seen: [hashOf(3)], unseen: [] })).toMatchObject({ confirmed: 1 });
  expect(await store.receive([priced(7, { priority: 99n })])).toMatchObject([{ kind: 'received', seq: 7 }]);
  expect(await order(store)).toEqual([7, 5].map(hashOf));
});

test.each(["UPDATE priority_pool SET limits = '{'", 'DELETE FROM priority_pool'])(
  'M2: without the row of the pool nothing is guessed: %s',
  async (sql) => {
    await expect(openDamaged(sql, { ordering })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  },
);

/** CBOR that is no change: of no form at all, of the right form at first sight, and one that names an unknown transaction. */
test.each([
  ['cut short', '00'],
  ['an entry that is none', '8880f681058080f60000'],
  ['a write that is none', '888105f6808080f60000'],
  ['a block that is none', '888083010203808080f60000'],
  ['a tag that is none', '8880f680810580f60000'],
  ['an unknown transaction', '88818941aa0903010000f6f6f4f6808080f60000'],
])('M2: a process that cannot follow what another one did reads the pool again: %s', async (_what, record) => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await sqlite.open({ path, ordering });
  await using second = await sqlite.open({ path, ordering });
  await first.receive([priced(1)]);
  for (const n of [2, 3, 4]) await second.receive([priced(n)]);
  damage(path, `UPDATE change SET record = x'${record}' WHERE version = 3`);
  expect((await first.reap()).length).toBe(4);
  expect(await first.receive([priced(2), priced(3)])).toMatchObject([{ kind: 'duplicate' }, { kind: 'duplicate' }]);
  expect((await second.reap()).length).toBe(4);
});
