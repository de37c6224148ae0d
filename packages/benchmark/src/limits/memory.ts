import type { Candidate, Transaction } from 'mempool-core';
import { pricedTransactions } from '../setup/samples.ts';
import type { Bare, Limit } from './limit.ts';

const maxHashDigits = 128;
const maxPayloadBytes = 1 << 20;

/** The check that no store can leave out: the form of the hash and the size of the payload. @throws TypeError */
function check({ hash, payload }: Transaction): void {
  const isAdmissible = payload.length <= maxPayloadBytes && hash.length <= maxHashDigits && isLowerCaseHex(hash);
  if (!isAdmissible) throw new TypeError(`${hash} cannot be received`);
}

/** Without a branch for each digit: a code outside `0–9` and `a–f` leaves the sign bit. */
function isLowerCaseHex(text: string): boolean {
  let signs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    signs |= ((code - 48) | (57 - code)) & ((code - 97) | (102 - code));
  }
  return signs >= 0;
}

interface BareRecord {
  readonly payload: Buffer;
  stage: number;
}

/** What every in-memory store must do: check, set, and copy the payload. */
class BareMap implements Bare {
  #records = new Map<string, BareRecord>();
  #hasGaps = false;
  #stages = 0;

  insert(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) {
      const { hash, payload } = transaction;
      check(transaction);
      if (!this.#records.has(hash)) this.#records.set(hash, { payload: Buffer.from(payload), stage: 0 });
    }
  }

  update(hashes: readonly string[]): void {
    const records = this.#withoutGaps();
    for (const hash of hashes) {
      const record = records.get(hash);
      if (record !== undefined) record.stage++;
    }
  }

  look(hashes: readonly string[]): void {
    const records = this.#withoutGaps();
    // The sum keeps the compiler from removing the reads.
    for (const hash of hashes) this.#stages += records.get(hash)?.stage ?? 0;
  }

  read(hashes: readonly string[]): (Buffer | null)[] {
    const records = this.#withoutGaps();
    return hashes.map((hash) => {
      const record = records.get(hash);
      return record === undefined ? null : Buffer.from(record.payload);
    });
  }

  remove(hashes: readonly string[]): void {
    for (const hash of hashes) this.#records.delete(hash);
    this.#hasGaps = true;
  }

  close(): void {
    this.#records.clear();
  }

  /** V8 skips removed entries until it rebuilds the table: a lookup cost 0.42 or 0.57 µs, depending on removals by other rows. */
  #withoutGaps(): Map<string, BareRecord> {
    if (this.#hasGaps) this.#records = new Map(this.#records);
    this.#hasGaps = false;
    return this.#records;
  }
}

/** What every ordered pool must keep: plain objects in a sorted array. */
export class BareIndex {
  readonly #entries: Candidate[];

  constructor(n: number) {
    this.#entries = pricedTransactions(n)
      .map(({ hash, payload, verdict: { priority } }, i) => ({
        hash,
        seq: i + 1,
        bytes: payload.length,
        gas: 0,
        priority,
      }))
      .sort((a, b) => (a.priority > b.priority ? -1 : 1));
  }

  /** Copies of the first ones. */
  walk(count: number): Candidate[] {
    return this.#entries.slice(0, count).map((entry) => ({ ...entry }));
  }
}

export const mapLimit: Limit = { name: 'bare Map', open: async () => new BareMap() };
