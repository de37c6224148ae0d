import type { Database, RunResult, Statement } from 'better-sqlite3';
import { FileIdentity } from './file-identity.ts';
import type { Row } from './row.ts';
import { readSql } from './sql-text.ts';
import { storeError } from './store-error.ts';

/** One connection to a file: the statements of files in `sql` by name, atomic steps, SQLite's errors in the contract's words. */
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

  /** Prepares the statements of a file of `sql`, once: of tables that not every file has, when there are such tables. */
  include(source: string): void {
    if (this.#sources.has(source)) return;
    for (const [name, sql] of readStatements(source)) this.#statements.set(name, this.#database.prepare(sql));
    this.#sources.add(source);
  }

  /** Runs a file of `sql` as a whole. */
  execute(source: string): void {
    this.#database.exec(readSql(source));
  }

  /** For what is run a hundred times in one call. */
  statement(name: string): Statement<unknown[], unknown> {
    return this.#statements.get(name) as Statement<unknown[], unknown>;
  }

  run(name: string, ...values: unknown[]): RunResult {
    return this.statement(name).run(...values);
  }

  row(name: string, ...values: unknown[]): Row | undefined {
    return this.statement(name).get(...values) as Row | undefined;
  }

  /** Lazily, so that a page reads no more than it hands out. */
  rows(name: string, ...values: unknown[]): IterableIterator<Row> {
    return this.statement(name).iterate(...values) as IterableIterator<Row>;
  }

  /**
   * `beginRead`: all that `run` reads is of one moment. `beginWrite`: all that it writes is one step, or nothing is (X1). It
   * may call `commit` itself, where something has to follow at once.
   */
  atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
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

  /** What is written is refused where nobody would find it. @throws `ERR_MEMPOOL_INCOMPATIBLE` */
  commit(): void {
    if (this.#isWriting) this.#place.assertSame();
    this.run('commit');
  }

  /** `FULL`: from now on a commit is on the disk before it returns. */
  setSynchronous(level: 'FULL' | 'NORMAL'): void {
    this.#database.pragma(`synchronous = ${level}`);
  }

  close(): void {
    this.#database.close();
  }
}

/** A file of `sql`, cut at its lines `-- :name`. */
function readStatements(source: string): (readonly [name: string, sql: string])[] {
  const [, ...sections] = readSql(source).split(/^-- :(\w+)$/m);
  return sections.flatMap((part, i) => (i % 2 === 0 ? [[part, sections[i + 1] as string] as const] : []));
}
