import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import { type Bare, hashBytes, type Limit } from './limit.ts';

/** A database in a folder of its own, as durable as the backend's default. */
class BareFile {
  readonly #folder: string;
  #db: Database.Database;
  #statements = new Map<string, Statement>();

  constructor(folder: string, layout: string) {
    this.#folder = mkdtempSync(join(folder, 'bare-'));
    this.#db = this.#open();
    this.#db.exec(layout);
  }

  /** Prepared once. */
  sql(text: string): Statement {
    const statement = this.#statements.get(text) ?? this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  write(work: () => void): void {
    this.#db.transaction(work).immediate();
  }

  /** Runs the statement for each hash, in one transaction. */
  each(text: string, hashes: readonly string[]): void {
    const statement = this.sql(text);
    this.write(() => {
      for (const hash of hashes) statement.run(hashBytes(hash));
    });
  }

  shut(): void {
    this.#db.close();
    this.#statements = new Map();
  }

  reopen(): void {
    this.#db = this.#open();
  }

  close(): void {
    this.shut();
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

/** Each stage can be read in order of arrival: an index entry ends with its seq. */
const layout = `CREATE TABLE tx (seq INTEGER PRIMARY KEY, hash BLOB UNIQUE, stage INTEGER, payload BLOB);
  CREATE INDEX tx_stage ON tx (stage)`;

/** A bare table with a unique hash. Every stage can be read in order of arrival. */
function bareTable(folder: string): Bare {
  const file = new BareFile(folder, layout);
  const insert: Bare['insert'] = (transactions) => {
    const statement = file.sql('INSERT INTO tx (hash, stage, payload) VALUES (?, 0, ?)');
    file.write(() => {
      for (const { hash, payload } of transactions) statement.run(hashBytes(hash), payload);
    });
  };
  const get = (text: string) => (hashes: readonly string[]) => {
    const statement = file.sql(text);
    return hashes.map((hash) => statement.get(hashBytes(hash)));
  };
  return {
    insert,
    update: (hashes) => file.each('UPDATE tx SET stage = stage + 1 WHERE hash = ?', hashes),
    look: get('SELECT stage FROM tx WHERE hash = ?'),
    read: get('SELECT payload FROM tx WHERE hash = ?'),
    remove: (hashes) => file.each('DELETE FROM tx WHERE hash = ?', hashes),
    shut: () => file.shut(),
    reopen() {
      file.reopen();
      return file.sql('SELECT payload FROM tx ORDER BY seq LIMIT 1').get();
    },
    close: () => file.close(),
  };
}

export function tableLimit(folder: string): Limit {
  return { name: 'bare better-sqlite3', open: async () => bareTable(folder) };
}
