import type { Database, RunResult, Statement } from 'better-sqlite3';
import { isMempoolError } from 'mempool-core';
import type { Awaitable, RetryOptions } from 'mempool-core/backend';
import { FileIdentity } from './file-identity.ts';
import type { Row } from './row.ts';
import { readSql } from './sql-text.ts';
import { storeError } from './store-error.ts';
import { type WriteOptions, WriteTurns, whileBusy } from './write-turns.ts';

const ownStatements = readSql('file/statements.sql');

/** One connection to a file. It offers statements by name, atomic steps, and the contract's errors. */
export class SqlFile {
  readonly path: string;
  readonly #database: Database;
  readonly #place: FileIdentity;
  readonly #turns = new WriteTurns();
  readonly #writtenListeners: (() => void)[] = [];
  #isWriting = false;
  /** Changes with every commit of another connection. */
  #dataVersion: unknown;
  readonly #texts = new Set<string>();
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  /** `texts`: statements, each after a line `-- :name`. The tables that they use must exist. */
  constructor(database: Database, ...texts: readonly string[]) {
    this.path = database.name;
    this.#database = database;
    this.#place = new FileIdentity(this.path);
    for (const text of [ownStatements, ...texts]) this.include(text);
  }

  /** Prepares the statements of a text, once. The tables that they use must exist. */
  include(text: string): void {
    if (this.#texts.has(text)) return;
    for (const [name, sql] of namedStatements(text)) this.#statements.set(name, this.#database.prepare(sql));
    this.#texts.add(text);
  }

  /** Runs all statements of a text. */
  execute(text: string): void {
    this.#database.exec(text);
  }

  /** Returns a statement, for callers that run it many times. */
  statement(name: string): Statement<unknown[], unknown> {
    return this.#statements.get(name) as Statement<unknown[], unknown>;
  }

  run(name: string, ...values: unknown[]): RunResult {
    return this.statement(name).run(...values);
  }

  row(name: string, ...values: unknown[]): Row | undefined {
    return this.statement(name).get(...values) as Row | undefined;
  }

  /** Iterates over the rows of a query. It reads lazily, so that a page reads no more rows than it returns. */
  rows(name: string, ...values: unknown[]): IterableIterator<Row> {
    return this.statement(name).iterate(...values) as IterableIterator<Row>;
  }

  /** Runs `run` in a transaction that reads one consistent state, as `atomically` does, and again while the file is busy (X5). */
  read<T>(options: RetryOptions, run: () => T): Promise<T> {
    return whileBusy(options, () => this.atomically('beginRead', run));
  }

  /**
   * Runs `run` in a transaction that writes, as `atomically` does, in the order of the calls, and again while the file is busy (X5). If the
   * disk is full, a checkpoint may free some of it, and then it runs once more. Returns no promise if nothing has to wait.
   */
  write<T>(options: WriteOptions, run: () => T): Awaitable<T> {
    return this.#turns.run(options, () => this.#transact(run));
  }

  /** Does the same as `write`, and the commit is on the disk when the call is answered, whatever `synchronous` is. */
  writeSynced<T>(options: WriteOptions, run: () => T): Awaitable<T> {
    return this.#turns.run(options, () => {
      this.#setSynchronous('FULL');
      try {
        return this.#transact(run);
      } finally {
        this.#setSynchronous('NORMAL');
      }
    });
  }

  /** Resolves when every `write` made so far has ended. */
  written(): Promise<void> {
    return this.#turns.idle();
  }

  /** Calls `listener` after each `write`. */
  onWritten(listener: () => void): void {
    this.#writtenListeners.push(listener);
  }

  /**
   * Runs `run` in a transaction. With `beginRead`, it reads one consistent state. With `beginWrite`, its writes are one atomic step (X1).
   * `run` may call `commit` itself, to do something right after the commit.
   * @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file was deleted or replaced; a read detects that within a second
   */
  atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
      if (begin === 'beginRead') this.assertInPlace();
      this.run(begin);
      this.#isWriting = begin === 'beginWrite';
      if (this.#isWriting) this.#lookForOthers();
      const result = run();
      if (this.#database.inTransaction) this.commit();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.run('rollback');
      throw this.errorOf(error);
    }
  }

  /** Returns the contract's error for one of this connection. */
  errorOf(error: unknown): unknown {
    return storeError(error, this.path);
  }

  /** Checks the file for a reader, at most once a second. @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file was deleted or replaced */
  assertInPlace(): void {
    this.#place.assertSameOfLate();
  }

  /** Checks the file now. @throws `ERR_MEMPOOL_INCOMPATIBLE` if it, or its log, was deleted or replaced */
  assertSame(): void {
    this.#place.assertSame();
  }

  /** Commits the transaction. @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file was deleted or replaced */
  commit(): void {
    if (this.#isWriting) this.assertSame();
    this.run('commit');
  }

  /** Returns the bytes in free pages of the file. */
  reusableBytes(): number {
    return Number(this.row('freePages')?.freelist_count) * Number(this.row('pageSize')?.page_size);
  }

  /** Moves the WAL into the file and gives its disk space back. Returns false if that is not possible now, as beside a reader. */
  checkpoint(): boolean {
    try {
      return this.row('checkpoint')?.busy === 0;
    } catch {
      return false;
    }
  }

  /** Copies one consistent state of the file into a new file, while others write. @throws `ERR_MEMPOOL_STORE_FULL` and others */
  copyTo(path: string): void {
    try {
      this.#database.prepare('VACUUM INTO ?').run(path);
    } catch (error) {
      throw storeError(error, path);
    }
  }

  close(): void {
    this.#database.close();
  }

  #transact<T>(run: () => T): T {
    const answer = this.#withCheckpoint(() => this.atomically('beginWrite', run));
    for (const listener of this.#writtenListeners) listener();
    return answer;
  }

  #withCheckpoint<T>(attempt: () => T): T {
    try {
      return attempt();
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_STORE_FULL') || !this.checkpoint()) throw error;
      return attempt();
    }
  }

  #lookForOthers(): void {
    const version = this.row('dataVersion')?.data_version;
    if (version !== this.#dataVersion && this.#dataVersion !== undefined) this.#turns.meet();
    this.#dataVersion = version;
  }

  #setSynchronous(level: 'FULL' | 'NORMAL'): void {
    this.#database.pragma(`synchronous = ${level}`);
  }
}

/** The statements of a text, by the names in its lines `-- :name`. */
function namedStatements(text: string): (readonly [name: string, sql: string])[] {
  const [, ...sections] = text.split(/^-- :(\w+)$/m);
  return sections.flatMap((part, i) => (i % 2 === 0 ? [[part, sections[i + 1] as string] as const] : []));
}
