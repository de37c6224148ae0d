import SqliteDatabase, { type Database } from 'better-sqlite3';

/** How long to wait for others that look whether the holder lives. A look takes microseconds. */
const lookMs = 2;

/** The opened lock file, with the token of the lease that it was opened for. */
interface Opened {
  readonly token: string;
  readonly database: Database;
}

/**
 * A lock on a separate file. The operating system releases it when its process dies in any way. The file names the lease that it was
 * last held for. A free lock proves only that the holder of that lease has died. It proves nothing about a holder that never got the
 * lock, or whose lock file was deleted. The file is an SQLite database, because that gives Node a file lock.
 */
export class CrashLock {
  readonly #path: string;
  #held: Opened | null = null;
  #watched: Opened | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** The token of the lease that this process holds the lock for. */
  get heldToken(): string | null {
    return this.#held?.token ?? null;
  }

  /** Takes the lock. Returns false if another process, such as a suspended one, still has it, or if the file cannot be written. */
  hold(token: string): boolean {
    if (this.#held?.token === token) return true;
    const database = this.#held?.database ?? openOrNull(this.#path, { timeout: lookMs });
    if (database === null) return false;
    try {
      // With this mode the lock outlasts the transaction.
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

  /** True if the holder of this lease had the lock and lost it without releasing it. The check does not affect other processes. */
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
