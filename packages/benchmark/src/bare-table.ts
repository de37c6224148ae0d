import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Transaction } from 'mempool-core';
import type { Bare, Limit } from './bare.ts';

const layout = 'CREATE TABLE tx (seq INTEGER PRIMARY KEY, hash BLOB UNIQUE, stage INTEGER, payload BLOB)';

function bytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

/** A bare table with a unique hash, as durable as the backend's default. */
export class BareTable implements Bare {
  readonly #folder: string;
  #db: Database.Database;
  #insert!: Database.Statement;
  #update!: Database.Statement;
  #look!: Database.Statement;
  #read!: Database.Statement;
  #page!: Database.Statement;

  constructor(folder: string) {
    this.#folder = mkdtempSync(join(folder, 'bare-'));
    this.#db = this.#open();
    this.#db.exec(layout);
    this.#prepare();
  }

  insert(transactions: readonly Transaction[]): void {
    this.#write(() => {
      for (const { hash, payload } of transactions) this.#insert.run(bytes(hash), payload);
    });
  }

  update(hashes: readonly string[]): void {
    this.#write(() => {
      for (const hash of hashes) this.#update.run(bytes(hash));
    });
  }

  look(hashes: readonly string[]): unknown[] {
    return hashes.map((hash) => this.#look.get(bytes(hash)));
  }

  read(hashes: readonly string[]): unknown[] {
    return hashes.map((hash) => this.#read.get(bytes(hash)));
  }

  remove(hashes: readonly string[]): void {
    const remove = this.#db.prepare('DELETE FROM tx WHERE hash = ?');
    this.#write(() => {
      for (const hash of hashes) remove.run(bytes(hash));
    });
  }

  append(transactions: readonly Transaction[]): void {
    this.insert(transactions);
  }

  page(from: number, count: number): unknown[] {
    return this.#page.all(from, count);
  }

  /** A block as a design without ticks applies it: every record is read, changed and written. */
  ageAll(): void {
    const rows = this.#db.prepare('SELECT seq, stage FROM tx');
    const write = this.#db.prepare('UPDATE tx SET stage = ? WHERE seq = ?');
    this.#write(() => {
      for (const { seq, stage } of rows.all() as { seq: number; stage: number }[]) write.run(stage + 1, seq);
    });
  }

  shut(): void {
    this.#db.close();
  }

  reopen(): void {
    this.#db = this.#open();
    this.#prepare();
    this.#page.all(0, 1);
  }

  close(): void {
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

  #prepare(): void {
    this.#insert = this.#db.prepare('INSERT INTO tx (hash, stage, payload) VALUES (?, 0, ?)');
    this.#update = this.#db.prepare('UPDATE tx SET stage = stage + 1 WHERE hash = ?');
    this.#look = this.#db.prepare('SELECT stage FROM tx WHERE hash = ?');
    this.#read = this.#db.prepare('SELECT payload FROM tx WHERE hash = ?');
    this.#page = this.#db.prepare('SELECT seq, hash, payload FROM tx WHERE seq > ? ORDER BY seq LIMIT ?');
  }

  #write(work: () => void): void {
    this.#db.transaction(work).immediate();
  }
}

export function tableLimit(folder: string): Limit {
  return { name: 'bare better-sqlite3', survives: true, open: async () => new BareTable(folder) };
}
