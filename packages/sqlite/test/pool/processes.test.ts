import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkKilledTaker,
  checkRacingTakers,
  checkStoppedWorker,
  type StartTaker,
} from '../../../../conformance/test/takers.ts';
import { orderings } from '../kinds.ts';
import { hashOf, numbers, payloadOf, transaction } from '../numbered.ts';
import { start } from '../program.ts';

for (const [title, check] of [
  ['N1: processes that take from one file at once get each transaction once', checkRacingTakers],
  ['X1: what a killed process had taken is Pending again after its leases, at its place', checkKilledTaker],
] as const)
  test.each(orderings)(`${title}: %s`, async (ordering) => {
    const path = join(scratchFolder(), 'pool.db');
    const store = await sqlite.open({ path, ordering });
    onTestFinished(() => store.close());
    const startTaker: StartTaker = (owner, claimMs) =>
      start('./pool/taker.ts', [path, ordering, owner, String(claimMs)]);
    await check(store, startTaker);
  });

test.each(orderings)('P19: a worker stopped past its claim never acts on what another took: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path, ordering });
  onTestFinished(() => store.close());
  await checkStoppedWorker(store, (owner, claimMs) =>
    start('./pool/worker.ts', [path, ordering, owner, String(claimMs)]),
  );
});

test('E4: a process that only waits for events stays until another process makes one', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const child = start('./pool/listener.ts', [path]);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'listening' });
  await store.receive([transaction(1)]);
  expect(await lines.next()).toMatchObject({ value: '1' });
  expect(await exited).toEqual([0, null]);
});

/** The file's write lock in other hands; the function gives it back. */
function lock(path: string): () => void {
  const database = new SqliteDatabase(path);
  database.exec('BEGIN IMMEDIATE');
  return () => void database.close();
}

test.each(orderings)('E5: the time of a call is taken when the call has the write lock: %s', async (ordering) => {
  const path = join(scratchFolder(), 'pool.db');
  let nowMs = 1_000;
  await using store = await sqlite.open({ path, ordering, now: () => nowMs, timeoutMs: 60_000 });
  const unlock = lock(path);
  const [receiving, putting] = [store.receive([transaction(1)]), store.putRecord('a', new Uint8Array())];
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  nowMs = 2_000;
  unlock();
  expect(await putting).toMatchObject({ kind: 'stored', at: 2_000 });
  await receiving;
  expect(await store.status([hashOf(1)])).toMatchObject([{ receivedAt: 2_000 }]);
});

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
    store.drop([hashOf(1)], 'failed'),
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
  expect((await store.peekPending()).transactions.map(({ payload }) => payload)).toEqual(
    numbers(3).map((n) => payloadOf(n)),
  );
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
