import { readFileSync } from 'node:fs';
import type { Database, RunResult, Statement } from 'better-sqlite3';
import type { Logger } from 'mempool-core';
import type { Place } from './records.ts';
import { storeError } from './store-error.ts';

/** A row as it was read, before it is trusted. */
export type Row = Readonly<Record<string, unknown>>;

const sections = readFileSync(new URL('../sql/statements.sql', import.meta.url), 'utf8').split(/^-- :(\w+)$/m);

/** One connection to a pool's file: its statements by name, atomic steps, SQLite's errors in the contract's words. */
export class PoolFile {
  readonly path: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();
  readonly #log: Logger;
  readonly #reported = new Set<number>();
  #undoing: (() => void)[] = [];

  constructor(database: Database, log: Logger) {
    this.path = database.name;
    this.#log = log;
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

  /** `beginRead`: all that `run` reads is of one moment. `beginWrite`: all that it writes is one step, or nothing is (X1). */
  atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
      this.run(begin);
      const result = run();
      this.run('commit');
      this.#undoing = [];
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.run('rollback');
      for (const undo of this.#undoing.splice(0).reverse()) undo();
      throw storeError(error, this.path);
    }
  }

  /** M2: once for each record; those that blocks would age are met again by every block. */
  reportDamage({ hash, seq }: Place): null {
    if (!this.#reported.has(seq)) this.#log('warn', `a record is damaged (seq ${seq})`, { hash, seq });
    this.#reported.add(seq);
    return null;
  }

  /** What memory has to take back when the step does not come to its end. */
  onUndo(undo: () => void): void {
    this.#undoing.push(undo);
  }

  /** Pages that deleted rows left behind. */
  reusableBytes(): number {
    return Number(this.row('freePages')?.freelist_count) * Number(this.row('pageSize')?.page_size);
  }

  /** Moves the write-ahead log into the file, so that it is written from its beginning again. False where it cannot. */
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

  #statement(name: string): Statement<unknown[], unknown> {
    return this.#statements.get(name) as Statement<unknown[], unknown>;
  }
}
