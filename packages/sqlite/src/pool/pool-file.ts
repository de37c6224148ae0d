import type { Database } from 'better-sqlite3';
import type { Logger } from 'mempool-core';
import { SqlFile } from '../file/sql-file.ts';
import type { RecordKey } from './records.ts';

/** One connection to a pool's file. */
export class PoolFile extends SqlFile {
  readonly #log: Logger;
  readonly #reported = new Set<number>();
  #undoing: (() => void)[] = [];

  constructor(database: Database, log: Logger, ...sources: readonly string[]) {
    super(database, 'file/statements.sql', 'pool/statements.sql', ...sources);
    this.#log = log;
  }

  override atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
      const result = super.atomically(begin, run);
      this.#undoing = [];
      return result;
    } catch (error) {
      for (const undo of this.#undoing.splice(0).reverse()) undo();
      throw error;
    }
  }

  /** M2: once for each record; those that blocks would age are met again by every block. */
  reportDamage({ hash, seq }: RecordKey): null {
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
}
