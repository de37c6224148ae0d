import type { Transaction } from 'mempool-core';
import type { Bare, Limit } from './bare.ts';
import { isAdmissible } from './bare-admission.ts';

/** What any in-memory store must do, and nothing else: check, set, and a copy of the payload. */
export class BareMap implements Bare {
  readonly #records = new Map<string, { readonly payload: Buffer; stage: number }>();
  readonly #order: Buffer[] = [];
  #stages = 0;

  insert(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) {
      const { hash, payload } = transaction;
      if (!isAdmissible(transaction)) throw new TypeError(`${hash} cannot be taken in`);
      if (!this.#records.has(hash)) this.#records.set(hash, { payload: Buffer.from(payload), stage: 0 });
    }
  }

  update(hashes: readonly string[]): void {
    for (const hash of hashes) {
      const record = this.#records.get(hash);
      if (record !== undefined) record.stage++;
    }
  }

  look(hashes: readonly string[]): void {
    // The sum keeps the reads from being optimised away.
    for (const hash of hashes) this.#stages += this.#records.get(hash)?.stage ?? 0;
  }

  read(hashes: readonly string[]): (Buffer | null)[] {
    return hashes.map((hash) => {
      const record = this.#records.get(hash);
      return record === undefined ? null : Buffer.from(record.payload);
    });
  }

  remove(hashes: readonly string[]): void {
    for (const hash of hashes) this.#records.delete(hash);
  }

  append(transactions: readonly Transaction[]): void {
    for (const { payload } of transactions) this.#order.push(Buffer.from(payload));
  }

  page(from: number, count: number): Buffer[] {
    return this.#order.slice(from, from + count).map((payload) => Buffer.from(payload));
  }

  close(): void {
    this.#records.clear();
    this.#order.length = 0;
  }
}

export const mapLimit: Limit = { name: 'bare Map', survives: false, open: async () => new BareMap() };
