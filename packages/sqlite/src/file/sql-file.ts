import type { Database, RunResult, Statement } from 'better-sqlite3';
import { FileIdentity } from './file-identity.ts';
import type { Row } from './row.ts';
import { readSql } from './sql-text.ts';
import { storeError } from './store-error.ts';

/** One connection to a file: statements of the folder `sql` by name, atomic steps, and SQLite's errors as the contract's. */
export class SqlFile {
  readonly path: string;
  readonly #database: Database;
  readonly #place: FileIdentity;
  #isWriting = false;
  readonly #sources = new Set<string>();
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  constructor(database: Database, ...sources: readonly string[]) {
    this.path = database.name;
    this.#database = database;
    this.#place = new FileIdentity(this.path);
    for (const source of sources) this.include(source);
  }

  /** Prepares the statements of one file in `sql`, once. For tables that not every pool file has, call it when they exist. */
  include(source: string): void {
    if (this.#sources.has(source)) return;
    for (const [name, sql] of readStatements(source)) this.#statements.set(name, this.#database.prepare(sql));
    this.#sources.add(source);
  }

  /** Runs all of one file in `sql`. */
  execute(source: string): void {
    this.#database.exec(readSql(source));
  }

  /** A statement to run many times in one call. */
  statement(name: string): Statement<unknown[], unknown> {
    return this.#statements.get(name) as Statement<unknown[], unknown>;
  }

  run(name: string, ...values: unknown[]): RunResult {
    return this.statement(name).run(...values);
  }

  row(name: string, ...values: unknown[]): Row | undefined {
    return this.statement(name).get(...values) as Row | undefined;
  }

  /** Reads lazily, so that a page reads no more rows than it returns. */
  rows(name: string, ...values: unknown[]): IterableIterator<Row> {
    return this.statement(name).iterate(...values) as IterableIterator<Row>;
  }

  /**
   * Runs `run` in a transaction. `beginRead`: it reads one consistent state. `beginWrite`: all its writes are one step, or none is
   * written (X1). `run` may call `commit` itself, if something must follow the commit at once.
   * @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file was deleted or replaced; a read notices within a second
   */
  atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
      if (begin === 'beginRead') this.assertInPlace();
      this.run(begin);
      this.#isWriting = begin === 'beginWrite';
      const result = run();
      if (this.#database.inTransaction) this.commit();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.run('rollback');
      throw storeError(error, this.path);
    }
  }

  /** For readers, who need not notice at once. @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file was deleted or replaced */
  assertInPlace(): void {
    this.#place.assertSameOfLate();
  }

  /** Refuses writes to a file that was deleted or replaced. @throws `ERR_MEMPOOL_INCOMPATIBLE` */
  commit(): void {
    if (this.#isWriting) this.#place.assertSame();
    this.run('commit');
  }

  /** With `FULL` every further commit is synced to the disk before it returns. */
  setSynchronous(level: 'FULL' | 'NORMAL'): void {
    this.#database.pragma(`synchronous = ${level}`);
  }

  /** Bytes in free pages of the file. */
  reusableBytes(): number {
    return Number(this.row('freePages')?.freelist_count) * Number(this.row('pageSize')?.page_size);
  }

  /** Runs a WAL checkpoint, so that the WAL is written from its beginning again. False if it is not possible now. */
  checkpoint(): boolean {
    try {
      return this.row('checkpoint')?.busy === 0;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** The statements of one file in `sql`, by the names in its lines `-- :name`. */
function readStatements(source: string): (readonly [name: string, sql: string])[] {
  const [, ...sections] = readSql(source).split(/^-- :(\w+)$/m);
  return sections.flatMap((part, i) => (i % 2 === 0 ? [[part, sections[i + 1] as string] as const] : []));
}
