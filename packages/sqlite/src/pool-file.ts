import { readFileSync } from 'node:fs';
import type { Database, RunResult, Statement } from 'better-sqlite3';
import { storeError } from './store-error.ts';

/** A row as it was read, before it is trusted. */
export type Row = Readonly<Record<string, unknown>>;

const sections = readFileSync(new URL('../sql/statements.sql', import.meta.url), 'utf8').split(/^-- :(\w+)$/m);

/** One connection to a pool's file: its statements by name, atomic steps, SQLite's errors in the contract's words. */
export class PoolFile {
  readonly #path: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();

  constructor(path: string, database: Database) {
    this.#path = path;
    this.#database = database;
    for (let i = 1; i < sections.length; i += 2)
      this.#statements.set(sections[i] as string, database.prepare(sections[i + 1] as string));
  }

  run(name: string, ...values: unknown[]): RunResult {
    return this.#statement(name).run(...values);
  }

  row(name: string, ...values: unknown[]): Row | undefined {
    return this.#statement(name).get(...values) as Row | undefined;
  }

  /** Lazily, so that a page reads no more than it hands out. */
  rows(name: string, ...values: unknown[]): IterableIterator<Row> {
    return this.#statement(name).iterate(...values) as IterableIterator<Row>;
  }

  /** Everything `read` sees is of one moment. */
  read<T>(read: () => T): T {
    return this.#atomically('beginRead', read);
  }

  /** All of `write` or nothing (X1). IMMEDIATE: one that begins by reading fails where another has written since. */
  write<T>(write: () => T): T {
    return this.#atomically('beginWrite', write);
  }

  close(): void {
    this.#database.close();
  }

  #atomically<T>(begin: string, run: () => T): T {
    try {
      this.run(begin);
      const result = run();
      this.run('commit');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.run('rollback');
      throw storeError(error, this.#path);
    }
  }

  #statement(name: string): Statement<unknown[], unknown> {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw new TypeError(`no statement ${name}`);
    return statement;
  }
}
