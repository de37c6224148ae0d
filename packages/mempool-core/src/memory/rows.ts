import type { Transaction } from '../contract/transaction.ts';
import type { Write } from '../rules/step.ts';
import { PayloadSlabs } from './payload-slabs.ts';
import { arrivedRow, type LogRow, makeRow, type Row, renew } from './row.ts';
import { Shelves } from './stage-indexes.ts';

/** What memory keeps of every hash that is live or in the log, by hash and in the indexes. */
export class Rows {
  readonly shelves: Shelves = new Shelves();
  readonly #byHash = new Map<string, Row>();
  readonly #slabs = new PayloadSlabs();
  /** The newest seq given out; 0 before the first. */
  lastSeq = 0;

  get size(): number {
    return this.#byHash.size;
  }

  find(hash: string): Row | null {
    return this.#byHash.get(hash) ?? null;
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  /** Of a hash that is live or in the log. */
  of(hash: string): Row {
    return this.#byHash.get(hash) as Row;
  }

  /** Returns the row of its hash, which stays the same one for as long as the hash is known. */
  write({ after, point, body }: Write): Row {
    const known = this.find(after.hash);
    if (known === null) return this.#add(makeRow(after, point, body as Transaction, this.#slabs));
    if (body === null) {
      this.shelves.move(known, after, point);
      return known;
    }
    // A new life. A call of a priority pool may end one and begin the next: only the next is written.
    this.shelves.remove(known);
    renew(known, after, point, body, this.#slabs);
    return this.#add(known);
  }

  /** Pending, with the next seq, which is returned: of a hash that is neither live nor in the log. */
  arrive(body: Transaction): number {
    const seq = this.lastSeq + 1;
    const row = arrivedRow(body, seq, this.#slabs);
    this.#byHash.set(row.hash, row);
    this.shelves.arrive(row);
    this.lastSeq = seq;
    return seq;
  }

  /** Of an entry of the log. */
  logged({ life, row }: LogRow): Row {
    return row ?? this.of(life.hash);
  }

  /** Whether the hash has no later life than the one that this entry ended. */
  isLatest({ life, row }: LogRow): boolean {
    return (row ?? this.find(life.hash))?.mark?.final === life;
  }

  /** Whether it is gone: a hash that has a later life than this one stays. */
  forget(entry: LogRow): boolean {
    if (!this.isLatest(entry)) return false;
    this.shelves.remove(this.logged(entry));
    return this.#byHash.delete(entry.life.hash);
  }

  #add(row: Row): Row {
    this.#byHash.set(row.hash, row);
    this.shelves.add(row);
    if (row.seq > this.lastSeq) this.lastSeq = row.seq;
    return row;
  }
}
