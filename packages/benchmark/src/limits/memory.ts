import type { Candidate, Transaction } from 'mempool-core';
import TinyQueue from 'tinyqueue';
import { type Priced, pricedTransactions } from '../setup/samples.ts';
import type { Bare, BareRanking, BareReads, Limit } from './limit.ts';

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
export class BareMap implements Bare {
  #records = new Map<string, BareRecord>();
  #hasGaps = false;
  readonly #order: Buffer[] = [];
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

  /** V8 skips removed entries until it rebuilds the table: a lookup cost 0.42 or 0.57 µs, depending on removals by other rows. */
  #withoutGaps(): Map<string, BareRecord> {
    if (this.#hasGaps) this.#records = new Map(this.#records);
    this.#hasGaps = false;
    return this.#records;
  }
}

/** A Map by hash, walked in the order of arrival, each payload copied. */
export class MapWalk implements BareReads {
  readonly #payloads = new Map<string, Buffer>();
  #walk = this.#payloads.entries();
  #at = 0;

  fill(transactions: readonly Transaction[]): void {
    for (const { hash, payload } of transactions) this.#payloads.set(hash, Buffer.from(payload));
  }

  /** The walk goes on where it is. Anywhere else it begins again, for a Map cannot be entered in its middle. */
  page(after: number, count: number): Transaction[] {
    if (after !== this.#at) {
      this.#walk = this.#payloads.entries();
      for (let i = 0; i < after; i++) this.#walk.next();
      this.#at = after;
    }
    const page: Transaction[] = [];
    while (page.length < count) {
      const { value, done } = this.#walk.next();
      if (done) break;
      page.push({ hash: value[0], payload: Buffer.from(value[1]), payloadType: 0 });
    }
    this.#at += page.length;
    return page;
  }

  close(): void {
    this.#payloads.clear();
  }
}

interface RankedRecord {
  readonly hash: string;
  readonly payload: Buffer;
  readonly priority: bigint;
}

/** A Map, and a heap with the worst on top. */
export class BareRankedMap implements BareRanking {
  readonly records: Map<string, RankedRecord> = new Map();
  readonly #worstFirst = new TinyQueue<RankedRecord>([], (a, b) => (a.priority < b.priority ? -1 : 1));

  fill(transactions: readonly Priced[]): void {
    for (const transaction of transactions) this.#insert(transaction);
  }

  admit(newcomers: readonly Priced[]): void {
    for (const newcomer of newcomers) {
      if (!this.#insert(newcomer)) continue;
      const worst = this.#worstFirst.pop();
      if (worst !== undefined) this.records.delete(worst.hash);
    }
  }

  close(): void {
    this.records.clear();
  }

  /** @returns whether it was new */
  #insert(transaction: Priced): boolean {
    const { hash, payload, verdict } = transaction;
    check(transaction);
    if (this.records.has(hash)) return false;
    const record = { hash, payload: Buffer.from(payload), priority: verdict.priority };
    this.records.set(hash, record);
    this.#worstFirst.push(record);
    return true;
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

export const mapLimit: Limit<Bare> = { name: 'bare Map', open: async () => new BareMap() };
export const mapRanking: Limit<BareRanking> = { name: 'bare Map and heap', open: async () => new BareRankedMap() };
