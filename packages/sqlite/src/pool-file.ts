import type { Database } from 'better-sqlite3';
import { prepareStatements, type Statements } from './statements.ts';
import { storeError } from './store-error.ts';

/** One connection to a pool's file: prepared statements, atomic steps, SQLite's errors in the contract's words. */
export class PoolFile {
  readonly path: string;
  readonly statements: Statements;
  readonly #database: Database;

  /** @throws SQLite's own error where a table is missing */
  constructor(path: string, database: Database) {
    this.path = path;
    this.#database = database;
    this.statements = prepareStatements(database);
  }

  /** Everything `run` reads is of one moment. */
  read<T>(run: () => T): T {
    return this.#atomically('beginRead', run);
  }

  /** All of `run` or nothing (X1). IMMEDIATE: a transaction that begins by reading fails when another one has written since. */
  write<T>(run: () => T): T {
    return this.#atomically('beginWrite', run);
  }

  close(): void {
    this.#database.close();
  }

  #atomically<T>(begin: 'beginRead' | 'beginWrite', run: () => T): T {
    try {
      this.statements[begin].run();
      const result = run();
      this.statements.commit.run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.statements.rollback.run();
      throw storeError(error, this.path);
    }
  }
}
