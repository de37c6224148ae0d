import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { Mempool, OpenOptions, Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { orderings } from '../kinds.ts';
import { hashOf, numbers, pointOf, submission } from '../numbered.ts';
import { start } from '../program.ts';

interface Wrote {
  readonly answered: number;
  readonly failed: readonly string[];
}

/** A process that receives without a pause. */
class Writer {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(process: ChildProcess) {
    this.process = process;
    this.#lines = createInterface({ input: process.stdout as Readable })[Symbol.asyncIterator]();
  }

  /** Opens the pool. */
  static async on(path: string, ordering: Ordering, own: number, batch = 10): Promise<Writer> {
    const writer = new Writer(start('./pool/writer.ts', [path, ordering, String(own), String(batch)], 'pipe'));
    await writer.#answer();
    return writer;
  }

  write(): void {
    this.process.stdin?.write('write\n');
  }

  /** What it did since the last answer. */
  ask(order: 'count' | 'stop'): Promise<Wrote> {
    this.process.stdin?.write(`${order}\n`);
    return this.#answer();
  }

  async #answer(): Promise<Wrote> {
    const { value } = await this.#lines.next();
    return JSON.parse(value);
  }
}

async function openPool(ordering: Ordering, options: OpenOptions = {}): Promise<{ path: string; store: Mempool }> {
  const path = join(scratchFolder(), 'pool.db');
  return { path, store: await sqlite.open({ path, ordering, synchronous: 'normal', timeoutMs: 60_000, ...options }) };
}

/** The file's write lock in other hands; the function gives it back. `null` if somebody has it. */
function lock(path: string): (() => void) | null {
  const database = new SqliteDatabase(path, { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
    return () => void database.close();
  } catch {
    database.close();
    return null;
  }
}

test.each(orderings)(
  'N1, X5: none of eight processes that never pause starves: %s',
  { timeout: 120_000 },
  async (ordering) => {
    const { path, store } = await openPool(ordering);
    const writers = await Promise.all(numbers(8, 1).map((own) => Writer.on(path, ordering, own)));
    for (const writer of writers) writer.write();
    // Until each runs compiled code.
    await pause(3_000);
    await Promise.all(writers.map((writer) => writer.ask('count')));
    await pause(4_000);
    const wrote = await Promise.all(writers.map((writer) => writer.ask('count')));
    const rest = await Promise.all(writers.map((writer) => writer.ask('stop')));
    expect([...wrote, ...rest].flatMap(({ failed }) => failed)).toEqual([]);
    const counts = wrote.map(({ answered }) => answered);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(0.3 * Math.max(...counts));
    await store.close();
  },
);

test.each(orderings)(
  'X5: blocks go on being applied while another process never pauses: %s',
  { timeout: 120_000 },
  async (ordering) => {
    const { path, store } = await openPool(ordering);
    const writer = await Writer.on(path, ordering, 1, 100);
    writer.write();
    let before = 0;
    for (const block of numbers(20, 1)) {
      // Nor do the blocks stop the other process.
      while ((await store.usage()).lastSeq === before) await pause(1);
      const { transactions } = await store.peekPending({ limit: 50 });
      const seen = transactions.map(({ hash }) => hash);
      before = (await store.usage()).lastSeq;
      expect(await store.confirm({ point: pointOf(block), seen, unseen: [] })).toMatchObject({ kind: 'applied' });
    }
    expect((await writer.ask('stop')).failed).toEqual([]);
    await store.close();
  },
);

test.each(orderings)(
  'X1: a process that is killed in its transaction leaves the file to the others: %s',
  { timeout: 120_000 },
  async (ordering) => {
    const { path, store } = await openPool(ordering);
    const writer = await Writer.on(path, ordering, 1, 500);
    writer.write();
    for (let isInside = false; !isInside; ) {
      await pause(20 * Math.random());
      writer.process.kill('SIGSTOP');
      const unlock = lock(path);
      isInside = unlock === null;
      unlock?.();
      if (!isInside) writer.process.kill('SIGCONT');
    }
    let isAnswered = false;
    const call = store.receive([submission(ordering, 1)]);
    const answer = Promise.resolve(call).finally(() => (isAnswered = true));
    await pause(100);
    expect(isAnswered).toBe(false);
    writer.process.kill('SIGKILL');
    expect(await answer).toMatchObject([{ kind: 'received', hash: hashOf(1) }]);
    const { pending, lastSeq } = await store.usage();
    // Whole calls of it, and ours.
    expect([pending % 500, lastSeq]).toEqual([1, pending]);
    await store.close();
  },
);

test('a process that has to read a large pool does so while another one never pauses', {
  timeout: 180_000,
}, async () => {
  const { path, store } = await openPool('priority', { maxTxs: 1_000_000 });
  for (const n of numbers(20))
    await store.receive(numbers(1_000, n * 1_000).map((each) => submission('priority', each)));
  const writer = await Writer.on(path, 'priority', 1);
  await writer.ask('stop');
  const behind = await sqlite.open({ path, ordering: 'priority', timeoutMs: 60_000 });
  writer.write();
  while ((await store.usage()).pending < 20_100);
  const operator = new SqliteDatabase(path, { timeout: 10_000 });
  operator.exec('DELETE FROM change');
  operator.close();
  const before = (await writer.ask('count')).answered;
  expect(before).toBeGreaterThan(0);
  expect(await behind.receive([submission('priority', 9_000_000)])).toMatchObject([{ kind: 'received' }]);
  const { answered, failed } = await writer.ask('stop');
  expect(failed).toEqual([]);
  expect(answered).toBeGreaterThan(5);
  expect(await behind.usage()).toEqual(await store.usage());
  await behind.close();
  await store.close();
});

test.each(orderings)('X5: the event loop turns while a call waits for the write lock: %s', async (ordering) => {
  const { path, store } = await openPool(ordering);
  const unlock = lock(path);
  const call = store.receive([submission(ordering, 1)]);
  // A wait inside SQLite would take all the time of the call for one turn.
  for (const _ of numbers(100)) await pause(1);
  unlock?.();
  expect(await call).toMatchObject([{ kind: 'received' }]);
  await store.close();
});
