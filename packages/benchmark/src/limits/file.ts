import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A database in a folder of its own, as durable as the backend's default. */
export class BareFile {
  readonly #folder: string;
  #db: Database.Database;

  constructor(folder: string, layout: string) {
    this.#folder = mkdtempSync(join(folder, 'bare-'));
    this.#db = this.#open();
    this.#db.exec(layout);
  }

  prepare(sql: string): Database.Statement {
    return this.#db.prepare(sql);
  }

  write(work: () => void): void {
    this.#db.transaction(work).immediate();
  }

  shut(): void {
    this.#db.close();
  }

  /** Statements that were prepared before are of no use any more. */
  reopen(): void {
    this.#db = this.#open();
  }

  remove(): void {
    this.#db.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(): Database.Database {
    const db = new Database(join(this.#folder, 'bare.db'));
    db.pragma('journal_mode = WAL');
    // After that pragma this driver is at NORMAL.
    db.pragma('synchronous = FULL');
    return db;
  }
}
