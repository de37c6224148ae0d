import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Logger, MempoolStore, OpenOptions } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, numbers, payloadOf, pointOf, transaction } from '../numbered.ts';

const count = 300;

/** A closed pool of 300 transactions: 100 each Pending, in flight and Dropped. */
async function makePool(path: string): Promise<void> {
  await using store = await sqlite.open({ path });
  await store.receive(numbers(count).map((n) => transaction(n)));
  await store.markInflight(numbers(100, 100).map(hashOf));
  await store.drop(numbers(100, 200).map(hashOf), 'test');
  await store.confirm({ point: pointOf(1), seen: [hashOf(100)], unseen: [] });
}

function flip(path: string, offset: number, bit = 0): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
  writeFileSync(path, bytes);
}

/** In the payload's place and wherever SQLite left an old copy of its page. */
function flipBeside(path: string, n: number, distance: number): void {
  const bytes = readFileSync(path);
  const payload = payloadOf(n);
  for (let at = bytes.indexOf(payload); at >= 0; at = bytes.indexOf(payload, at + 1)) flip(path, at + distance);
}

const damaged = (n: number) => ({ code: 'ERR_MEMPOOL_CORRUPT', details: { hash: hashOf(n), seq: n + 1 } });

test('M2: a damaged payload ends the page before it, refuses the one that begins with it, and is stepped over', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, 50);
  await using store = await sqlite.open({ path });
  expect((await store.peekPending()).map(({ seq }) => seq)).toEqual(numbers(10, 1));
  await expect(store.peekPending({ after: 10 })).rejects.toMatchObject(damaged(10));
  expect((await store.peekPending({ after: 11 })).map(({ seq }) => seq)).toEqual(numbers(89, 12));
});

test('M2: a damaged payload in flight is named, and the rest of the pool works', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  flipBeside(path, 100, 50);
  await using store = await sqlite.open({ path });
  await expect(store.findInflight([hashOf(101), hashOf(100)])).rejects.toMatchObject(damaged(100));
  expect(await store.checkStatus([hashOf(100)])).toMatchObject([{ stage: 'Confirmed', confirmedAt: pointOf(1) }]);
  expect(await store.confirm({ point: pointOf(2), seen: [hashOf(101)], unseen: [] })).toMatchObject({ confirmed: 1 });
});

test('M2: drop removes a damaged transaction; its log entry is damaged and can be stepped over', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, 50);
  await using store = await sqlite.open({ path });
  expect(await store.drop([hashOf(10)], 'damaged')).toEqual([hashOf(10)]);
  const { lastLogSeq } = await store.usage();
  await expect(store.dumpFinalized({ cursor: lastLogSeq })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CORRUPT',
    details: { hash: hashOf(10), seq: 11, logSeq: lastLogSeq },
  });
  expect(await store.dumpFinalized({ cursor: lastLogSeq + 1 })).toMatchObject({ entries: [], hasMore: false });
});

test('M2: a damaged hash is told by its payload', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, -20);
  await using store = await sqlite.open({ path });
  await expect(store.peekPending({ after: 10 })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CORRUPT',
    details: { seq: 11 },
  });
});

/** An open pool of the transactions 0 to 3 of which 0 and 1 are in flight, and what was damaged in its file since. */
async function openDamaged(sql: string, options: OpenOptions = {}, blocks = 0): Promise<MempoolStore> {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path, ...options });
  onTestFinished(() => store.close());
  await store.receive(numbers(4).map((n) => transaction(n)));
  await store.markInflight([hashOf(0), hashOf(1)]);
  for (const n of numbers(blocks, 1)) await store.confirm({ point: pointOf(n), seen: [hashOf(0)], unseen: [] });
  const database = new SqliteDatabase(path);
  database.exec(sql);
  database.close();
  return store;
}

const stepped = { code: 'ERR_MEMPOOL_CORRUPT', details: { hash: '', seq: 1 } };

for (const [what, sql] of [
  ['lost', 'DELETE FROM tx WHERE seq = 1'],
  ['without its hash', "UPDATE tx SET hash = x'' WHERE seq = 1"],
] as const) {
  test(`M2: a row ${what} stops no block that would drop its transaction, is warned of once and stays stepped over`, async () => {
    const warnings: unknown[] = [];
    const log: Logger = (_level, _message, fields) => warnings.push(fields);
    const store = await openDamaged(sql, { dropThreshold: 1, log });
    const first = await store.confirm({ point: pointOf(1), seen: [hashOf(2)], unseen: [] });
    const second = await store.confirm({ point: pointOf(2), seen: [], unseen: [] });
    expect([first, second]).toMatchObject([
      { confirmed: 1, dropped: 1 },
      { kind: 'applied', dropped: 0 },
    ]);
    expect(warnings).toEqual([{ hash: '', seq: 1 }]);
    await expect(store.peekInflight()).rejects.toMatchObject(stepped);
    expect(await store.peekInflight({ after: 1 })).toMatchObject([{ seq: 3 }]);
  });

  test(`M2: a row ${what} stops no block that would finalise its transaction, and no rollback`, async () => {
    const store = await openDamaged(sql, { finalizeThreshold: 2 }, 1);
    const block = { point: pointOf(2), seen: [hashOf(1)], unseen: [] };
    expect(await store.confirm(block)).toMatchObject({ kind: 'applied', confirmed: 1, finalized: 0 });
    expect(await store.rollback(null)).toMatchObject({ kind: 'rolled-back', undone: 2, returned: 1 });
    expect(await store.checkStatus([hashOf(1)])).toMatchObject([{ stage: 'Pending' }]);
  });
}

for (const [what, sql] of [
  ['an unreadable stage', 'UPDATE inflight SET stage = 9 WHERE seq = 1'],
  ['no place', 'DELETE FROM inflight WHERE seq = 1'],
] as const) {
  test(`M2: drop removes a transaction with ${what}, and the counters stay right`, async () => {
    const store = await openDamaged(sql);
    await expect(store.checkStatus([hashOf(0)])).rejects.toMatchObject(damaged(0));
    await store.markAcknowledged([hashOf(1)]);
    expect(await store.drop([hashOf(0)], 'damaged')).toEqual([hashOf(0)]);
    expect(await store.checkStatus([hashOf(0)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
    expect(await store.usage()).toMatchObject({ pending: 2, propagated: 0, acknowledged: 1, logged: 1 });
  });

  test(`M2: the block that carries a transaction with ${what} confirms it`, async () => {
    const store = await openDamaged(sql);
    const block = { point: pointOf(1), seen: [hashOf(0)], unseen: [hashOf(1)] };
    expect(await store.confirm(block)).toMatchObject({ confirmed: 1, returned: 1 });
    expect(await store.findInflight([hashOf(0)])).toMatchObject([{ stage: 'Confirmed', confirmedAt: pointOf(1) }]);
    expect(await store.usage()).toMatchObject({ pending: 3, propagated: 0, acknowledged: 0, confirmed: 1 });
  });
}

test('M2: a block that carries a transaction whose last log entry is damaged is applied, and changes nothing of it', async () => {
  const store = await openDamaged('UPDATE log SET stage = 9', { finalizeThreshold: 1 }, 1);
  expect(await store.confirm({ point: pointOf(2), seen: [hashOf(0)], unseen: [] })).toMatchObject({ confirmed: 0 });
  expect(await store.drop([hashOf(0)], 'damaged')).toEqual([]);
  await expect(store.checkStatus([hashOf(0)])).rejects.toMatchObject(damaged(0));
});

test('M2: a damaged confirming block is told with the hash and seq, and stops no block after it', async () => {
  const options = { finalizeThreshold: 4, dropThreshold: 9, maxRollback: 1 };
  const store = await openDamaged("UPDATE inflight SET point = x'00' WHERE seq = 1", options, 2);
  await expect(store.checkStatus([hashOf(0)])).rejects.toMatchObject(damaged(0));
  expect(await store.confirm({ point: pointOf(3), seen: [], unseen: [] })).toMatchObject({ kind: 'applied' });
  expect(await store.confirm({ point: pointOf(4), seen: [], unseen: [] })).toMatchObject({ kind: 'applied' });
  await expect(store.dumpFinalized()).rejects.toMatchObject({ details: { hash: hashOf(0), seq: 1, logSeq: 1 } });
});

test('M2: a stage damaged into another one leaves the pool usable', async () => {
  const store = await openDamaged('UPDATE inflight SET stage = 2 WHERE seq = 1');
  expect(await store.release([hashOf(0)])).toEqual([hashOf(0)]);
  expect(await store.usage()).toMatchObject({ pending: 3, propagated: 1, acknowledged: 0, confirmed: 0 });
});

test('O2: what returns without its row is counted and told as damaged, not passed over', async () => {
  const store = await openDamaged('DELETE FROM tx WHERE seq = 1', { finalizeThreshold: 1 }, 1);
  await store.drop([hashOf(2), hashOf(3)], 'test');
  expect(await store.rollback(null)).toMatchObject({ returned: 1 });
  expect(await store.usage()).toMatchObject({ pending: 1 });
  await expect(store.peekPending()).rejects.toMatchObject(stepped);
});

test('a pool cut short is an error, and reading goes as far as the file does', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  truncateSync(path, Math.floor(readFileSync(path).length / 2));
  await expect(readAll(path)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
});

/** Reads all there is and compares it with what was written: an answer that is wrong throws no error of the library. */
async function readAll(path: string): Promise<void> {
  await using store = await sqlite.open({ path });
  const live = [...(await store.peekPending({ limit: 1000 })), ...(await store.peekInflight({ limit: 1000 }))];
  const { entries } = await store.dumpFinalized({ limit: 1000 });
  for (const { hash, payload } of [...live, ...entries]) expect(payload).toEqual(payloadOf(Number.parseInt(hash, 16)));
  await readRest(store);
}

async function readRest(store: MempoolStore): Promise<void> {
  await store.checkStatus(numbers(count).map(hashOf));
  await store.tip({ points: 10 });
  for await (const event of await store.subscribe({ after: 0, signal: AbortSignal.timeout(1) }))
    expect(event).toBeDefined();
}

test('M2: gossip of hashes goes past what is damaged, be it all that a page has', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await makePool(path);
  const database = new SqliteDatabase(path);
  database.exec('UPDATE tx SET hash = zeroblob(100 + seq) WHERE seq <= 2');
  database.close();
  await using store = await sqlite.open({ path });
  expect(await store.since(0, { limit: 2, hashesOnly: true })).toEqual({ items: [], next: 2 });
  expect(await store.since(2, { limit: 2, hashesOnly: true })).toMatchObject({
    items: [{ seq: 3 }, { seq: 4 }],
    next: 4,
  });
  await expect(store.since(0)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT', details: { seq: 1 } });
});
