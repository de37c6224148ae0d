import type { Statement } from 'better-sqlite3';
import type { Transaction } from 'mempool-core';
import { BareFile } from './file.ts';
import { hashBytes } from './hash-bytes.ts';
import type { Bare, Limit } from './limit.ts';

const layout = 'CREATE TABLE tx (seq INTEGER PRIMARY KEY, hash BLOB UNIQUE, stage INTEGER, payload BLOB)';
/** Every stage can be read in order of arrival: an entry ends with its seq. */
const orderedLayout = `${layout}; CREATE INDEX tx_stage ON tx (stage)`;

/** A bare table with a unique hash, as durable as the backend's default. */
export class BareTable implements Bare {
  readonly #file: BareFile;
  #insert!: Statement;
  #update!: Statement;
  #look!: Statement;
  #read!: Statement;
  #page!: Statement;

  /** `ordered`: what is in a stage can be read in its order, too. */
  constructor(folder: string, { ordered = false }: { readonly ordered?: boolean } = {}) {
    this.#file = new BareFile(folder, ordered ? orderedLayout : layout);
    this.#prepare();
  }

  insert(transactions: readonly Transaction[]): void {
    this.#file.write(() => {
      for (const { hash, payload } of transactions) this.#insert.run(hashBytes(hash), payload);
    });
  }

  update(hashes: readonly string[]): void {
    this.#file.write(() => {
      for (const hash of hashes) this.#update.run(hashBytes(hash));
    });
  }

  look(hashes: readonly string[]): unknown[] {
    return hashes.map((hash) => this.#look.get(hashBytes(hash)));
  }

  read(hashes: readonly string[]): unknown[] {
    return hashes.map((hash) => this.#read.get(hashBytes(hash)));
  }

  remove(hashes: readonly string[]): void {
    const remove = this.#file.prepare('DELETE FROM tx WHERE hash = ?');
    this.#file.write(() => {
      for (const hash of hashes) remove.run(hashBytes(hash));
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
    const rows = this.#file.prepare('SELECT seq, stage FROM tx');
    const write = this.#file.prepare('UPDATE tx SET stage = ? WHERE seq = ?');
    this.#file.write(() => {
      for (const { seq, stage } of rows.all() as { seq: number; stage: number }[]) write.run(stage + 1, seq);
    });
  }

  shut(): void {
    this.#file.shut();
  }

  reopen(): void {
    this.#file.reopen();
    this.#prepare();
    this.#page.all(0, 1);
  }

  close(): void {
    this.#file.remove();
  }

  #prepare(): void {
    this.#insert = this.#file.prepare('INSERT INTO tx (hash, stage, payload) VALUES (?, 0, ?)');
    this.#update = this.#file.prepare('UPDATE tx SET stage = stage + 1 WHERE hash = ?');
    this.#look = this.#file.prepare('SELECT stage FROM tx WHERE hash = ?');
    this.#read = this.#file.prepare('SELECT payload FROM tx WHERE hash = ?');
    this.#page = this.#file.prepare('SELECT seq, hash, payload FROM tx WHERE seq > ? ORDER BY seq LIMIT ?');
  }
}

export function tableLimit(folder: string): Limit {
  return { name: 'bare better-sqlite3', survives: true, open: async () => new BareTable(folder, { ordered: true }) };
}
