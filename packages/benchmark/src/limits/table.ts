import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import { type Bare, type BareRanking, type BareReads, hashBytes, type Limit } from './limit.ts';

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

const columns = 'seq INTEGER PRIMARY KEY, hash BLOB UNIQUE, stage INTEGER, payload BLOB';
const plain = `CREATE TABLE tx (${columns})`;
/** Each stage can be read in order of arrival: an index entry ends with its seq. */
const ordered = `${plain}; CREATE INDEX tx_stage ON tx (stage)`;
const ranked = `CREATE TABLE tx (${columns}, priority INTEGER); CREATE INDEX tx_priority ON tx (priority)`;

/** Also applies a block as a design without ticks does: every record is read, changed and written. */
interface BareTable extends Bare {
  ageAll(): void;
}

/** A bare table with a unique hash. */
export function bareTable(folder: string, layout: string = plain): BareTable {
  const file = new BareFile(folder, layout);
  const page = (from: number, count: number): unknown[] =>
    file.sql('SELECT seq, hash, payload FROM tx WHERE seq > ? ORDER BY seq LIMIT ?').all(from, count);
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
    append: insert,
    update: (hashes) => file.each('UPDATE tx SET stage = stage + 1 WHERE hash = ?', hashes),
    look: get('SELECT stage FROM tx WHERE hash = ?'),
    read: get('SELECT payload FROM tx WHERE hash = ?'),
    remove: (hashes) => file.each('DELETE FROM tx WHERE hash = ?', hashes),
    page,
    ageAll() {
      const write = file.sql('UPDATE tx SET stage = ? WHERE seq = ?');
      file.write(() => {
        const rows = file.sql('SELECT seq, stage FROM tx').all() as { seq: number; stage: number }[];
        for (const { seq, stage } of rows) write.run(stage + 1, seq);
      });
    },
    shut: () => file.shut(),
    reopen() {
      file.reopen();
      return page(0, 1);
    },
    close: () => file.close(),
  };
}

const placed = `${plain}; CREATE TABLE place (seq INTEGER PRIMARY KEY, stage INTEGER)`;

/** A bare table, and one with the places of its rows, as each list of a pool has them. */
export function bareJoin(folder: string): BareReads {
  const file = new BareFile(folder, placed);
  const joined = 'SELECT p.seq, p.stage, tx.hash, tx.payload FROM';
  const find = file.sql(`${joined} tx CROSS JOIN place AS p ON p.seq = tx.seq WHERE tx.hash = (SELECT ?)`);
  // Bound in a SELECT of its own, a value is none that SQLite plans the statement for again.
  const page = file.sql(
    `${joined} place AS p CROSS JOIN tx ON tx.seq = p.seq WHERE p.seq > (SELECT ?) ORDER BY p.seq LIMIT (SELECT ?)`,
  );
  return {
    fill(transactions) {
      const insert = file.sql('INSERT INTO tx (hash, stage, payload) VALUES (?, 0, ?)');
      const place = file.sql('INSERT INTO place (seq, stage) VALUES (?, 0)');
      file.write(() => {
        for (const { hash, payload } of transactions) place.run(insert.run(hashBytes(hash), payload).lastInsertRowid);
      });
    },
    find: (hashes) => hashes.map((hash) => find.get(hashBytes(hash))),
    page: (after, count) => [...page.iterate(after, count)],
    close: () => file.close(),
  };
}

/** The bare table with an index of priorities. */
function bareRankedTable(folder: string): BareRanking {
  const file = new BareFile(folder, ranked);
  const insert = file.sql('INSERT INTO tx (hash, stage, payload, priority) VALUES (?, 0, ?, ?)');
  const evict = file.sql('DELETE FROM tx WHERE seq = (SELECT seq FROM tx ORDER BY priority LIMIT 1)');
  const insertAll: BareRanking['fill'] = (transactions) => {
    for (const { hash, payload, verdict } of transactions) insert.run(hashBytes(hash), payload, verdict.priority);
  };
  return {
    fill: (transactions) => file.write(() => void insertAll(transactions)),
    admit: (newcomers) =>
      file.write(() => {
        insertAll(newcomers);
        for (let left = newcomers.length; left > 0; left--) evict.run();
      }),
    close: () => file.close(),
  };
}

export function tableLimit(folder: string): Limit<Bare> {
  return { name: 'bare better-sqlite3', open: async () => bareTable(folder, ordered) };
}

export function tableRanking(folder: string): Limit<BareRanking> {
  return { name: 'bare better-sqlite3, indexed', open: async () => bareRankedTable(folder) };
}
