import { isDeepStrictEqual } from 'node:util';
import { type DriverOptions, Ledger, type Logger, type Retention, type Step } from 'mempool-core';
import { decodeEntry, type Entry, encodeEntry, type PoolEntry } from './entry.ts';
import type { Journal } from './journal.ts';

/** Steps of this many bytes, and of half the file, make it worth while to write the state in their place. */
const compactBytes = 32 * 1024;

/** The pool in memory, as core's ledger, and in a journal: there first, so that nobody sees what the file has not. */
export class PoolFile {
  readonly ledger: Ledger;
  readonly #pool: PoolEntry;
  readonly #journal: Journal;
  readonly #log: Logger;
  #stepBytes = 0;

  /** `contents`: what the journal holds behind the pool's entry. */
  constructor(pool: PoolEntry, contents: Iterable<Uint8Array>, journal: Journal, { retention, log }: DriverOptions) {
    this.ledger = new Ledger(pool.epoch, pool.retention);
    this.#pool = pool;
    this.#journal = journal;
    this.#log = log;
    for (const content of contents) this.#replay(decodeEntry(content), content.length);
    this.#limit(retention);
  }

  /** X1: one record in the file is the whole call or nothing of it. */
  commit({ outcome, ...step }: Step<unknown>): void {
    this.#append({ kind: 'step', step });
    this.ledger.apply({ outcome, ...step });
    if (this.#stepBytes > compactBytes && this.#stepBytes > this.#journal.bytes / 2) this.#compact();
  }

  #append(entry: Entry): void {
    const content = encodeEntry(entry);
    this.#journal.append(content);
    this.#stepBytes += content.length;
  }

  /** Where it fails there is a longer file, and another try some steps later. */
  #compact(): void {
    this.#stepBytes = 0;
    try {
      this.#journal.replace(this.#state());
    } catch (cause) {
      this.#log('warn', 'the journal was not made shorter', { cause });
    }
  }

  *#state(): Generator<Buffer, undefined> {
    yield encodeEntry({ ...this.#pool, retention: this.ledger.retention });
    for (const record of this.ledger.dump()) yield encodeEntry(record);
  }

  #replay(entry: Entry, bytes: number): void {
    switch (entry.kind) {
      case 'pool':
        this.ledger.retention = entry.retention;
        break;
      case 'step':
        this.ledger.apply({ outcome: null, ...entry.step });
        this.#stepBytes += bytes;
        break;
      case 'base':
      case 'block':
      case 'write':
      case 'event':
      case 'operation':
        this.ledger.restore(entry);
        break;
    }
  }

  /** Limits that an open names hold for later ones too. */
  #limit(named: Partial<Retention>): void {
    const retention = { ...this.ledger.retention, ...named };
    if (isDeepStrictEqual(retention, this.ledger.retention)) return;
    this.#append({ ...this.#pool, retention });
    this.ledger.retention = retention;
  }
}
