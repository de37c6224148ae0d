import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { StoreEvent } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, payloadOf, transaction } from '../numbered.ts';
import { report } from '../program.ts';

interface Raced {
  readonly received: readonly { readonly hash: string; readonly seq: number }[];
  readonly marked: readonly string[];
  readonly seen: readonly StoreEvent[];
}

const transactions = 400;
const blocks = 40;

test('N1, E4: processes that write to one file at once share the work out, and each sees every event once', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const events = String(transactions * 2 + blocks);
  const racers = await Promise.all(numbers(3).map((racer) => report('./pool/racer.ts', [path, String(racer), events])));
  const [first, ...others] = racers as [Raced, ...Raced[]];
  const received = [first, ...others].flatMap((raced) => raced.received);
  expect(received.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(numbers(transactions, 1));
  expect(new Set(received.map(({ hash }) => hash))).toEqual(new Set(numbers(transactions).map(hashOf)));
  expect([first, ...others].flatMap(({ marked }) => marked).sort()).toEqual(numbers(transactions).map(hashOf));
  expect(first.seen.map(({ eventSeq }) => eventSeq)).toEqual(numbers(Number(events), 1));
  for (const other of others) expect(other.seen).toEqual(first.seen);
  await using store = await sqlite.open({ path });
  expect(await store.usage()).toMatchObject({ pending: 0, propagated: transactions, lastEventSeq: Number(events) });
});

/** The file's write lock in other hands; the function gives it back. */
function lock(path: string): () => void {
  const database = new SqliteDatabase(path);
  database.exec('BEGIN IMMEDIATE');
  return () => void database.close();
}

test('X5: a call on a file that stays busy fails as not sent; reading goes on meanwhile', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, timeoutMs: 50 });
  const unlock = lock(path);
  const refused = store.receive([transaction(1)]);
  await expect(refused).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNAVAILABLE', retryable: true });
  expect(await store.usage()).toMatchObject({ pending: 0, lastEventSeq: 0 });
  unlock();
  expect(await store.receive([transaction(1)])).toMatchObject([{ kind: 'received', seq: 1 }]);
});

test('X5: calls that wait for a busy file keep their order', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const unlock = lock(path);
  const calls = [
    store.receive([transaction(1)]),
    store.markInflight([hashOf(1)]),
    store.markAcknowledged([hashOf(1)]),
    store.release([hashOf(1)]),
    store.drop([hashOf(1)], 'done'),
  ];
  unlock();
  const [, ...moved] = await Promise.all(calls);
  expect(moved).toEqual(Array(4).fill([hashOf(1)]));
});

test('M1: what the caller does with his bytes and lists while a call waits for a busy file changes nothing', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const unlock = lock(path);
  const given = numbers(3).map((n) => [transaction(n)]);
  const calls = given.map((transactions) => store.receive(transactions));
  for (const transactions of given) for (const { payload } of transactions.splice(0)) payload.fill(0);
  unlock();
  await Promise.all(calls);
  expect((await store.peekPending()).map(({ payload }) => payload)).toEqual(numbers(3).map((n) => payloadOf(n)));
});

test('R3: abort ends a call that waits for a busy file, and one that waits behind it, with its reason', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const unlock = lock(path);
  const reason = new Error('not needed any more');
  const controller = new AbortController();
  const first = store.receive([transaction(1)]);
  const calls = [2, 3].map((n) => store.receive([transaction(n)], { signal: controller.signal }));
  controller.abort(reason);
  expect(await Promise.allSettled(calls)).toEqual(Array(2).fill({ status: 'rejected', reason }));
  unlock();
  expect(await first).toMatchObject([{ kind: 'received', seq: 1 }]);
  expect(await store.usage()).toMatchObject({ pending: 1 });
});

test('E4: a store in the same process sees the events of another one on the file', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using reader = await sqlite.open({ path });
  await using writer = await sqlite.open({ path });
  const events = (await reader.subscribe())[Symbol.asyncIterator]();
  const next = events.next();
  await writer.receive([transaction(1)]);
  expect(await next).toMatchObject({ value: { eventSeq: 1, hash: hashOf(1), stage: 'Pending' } });
});
