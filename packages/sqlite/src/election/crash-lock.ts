import SqliteDatabase, { type Database } from 'better-sqlite3';
import { busyTimeoutMs } from '../file/database-file.ts';

/** The lock file as it was opened for one holder's sake, or by it. */
interface Opened {
  readonly token: string;
  readonly database: Database;
}

/**
 * A lock on a file of its own, which the system takes from a process that dies, however it dies, and from no other. The file
 * names the lease it was last held for, so a free lock tells of that lease's holder only: not of one whose lock somebody
 * else still had, nor of one whose lock file was deleted. A database, because that is how Node comes by a lock on a file.
 */
export class CrashLock {
  readonly #path: string;
  #held: Opened | null = null;
  #watched: Opened | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** For which lease this process holds it. */
  get heldToken(): string | null {
    return this.#held?.token ?? null;
  }

  /** False where a holder before still has it, such as one that was stopped, or where the file cannot be written. */
  hold(token: string): boolean {
    if (this.#held?.token === token) return true;
    const database = this.#held?.database ?? openOrNull(this.#path, { timeout: busyTimeoutMs });
    if (database === null) return false;
    try {
      // The lock outlasts the transaction.
      database.pragma('locking_mode = EXCLUSIVE');
      database.pragma('synchronous = OFF');
      database.transaction(() => name(database, token)).exclusive();
      this.#held = { token, database };
      return true;
    } catch {
      this.#held = null;
      database.close();
      return false;
    }
  }

  release(): void {
    this.#held?.database.close();
    this.#held = null;
  }

  /** Whether the holder of that lease, who had the lock, lost it without giving it up. A look that nobody else notices. */
  isAbandonedBy(token: string): boolean {
    if (this.#held !== null) return false;
    try {
      return this.#watch(token)?.prepare('SELECT token FROM holder').pluck().get() === token;
    } catch {
      return false;
    }
  }

  close(): void {
    this.release();
    this.#watched?.database.close();
    this.#watched = null;
  }

  #watch(token: string): Database | null {
    if (this.#watched?.token === token) return this.#watched.database;
    this.#watched?.database.close();
    const database = openOrNull(this.#path, { fileMustExist: true, timeout: 0 });
    this.#watched = database && { token, database };
    return database;
  }
}

function name(database: Database, token: string): void {
  database.exec('CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY, token TEXT NOT NULL)');
  database.prepare('INSERT OR REPLACE INTO holder VALUES (1, ?)').run(token);
}

function openOrNull(path: string, options: SqliteDatabase.Options): Database | null {
  try {
    return new SqliteDatabase(path, options);
  } catch {
    return null;
  }
}
