import type { Transaction } from '../contract/transaction.ts';
import type { Write } from '../rules/step.ts';
import { arrivedRow, type LogRow, leaveEnd, makeRow, PayloadSlabs, type Row, renew } from './row.ts';
import { StageIndexes } from './stage-indexes.ts';

/** The rows of all hashes that are live or in the log, by hash and in the indexes. */
export class Rows {
  readonly stageIndexes: StageIndexes = new StageIndexes();
  readonly #byHash = new Map<string, Row>();
  readonly #slabs = new PayloadSlabs();
  /** The last seq that was assigned; 0 before the first. */
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

  /** The row of a hash that is live or in the log. */
  of(hash: string): Row {
    return this.#byHash.get(hash) as Row;
  }

  /** Writes a record. `at` is the time of the call. Returns its row, which is the same object while the hash is known. */
  write({ after, point, body }: Write, at: number | null): Row {
    const known = this.find(after.hash);
    if (known === null) return this.#add(makeRow(after, point, body as Transaction, this.#slabs, at));
    leaveEnd(known);
    if (body === null) {
      this.stageIndexes.move(known, after, point, at);
      return known;
    }
    // A known hash with a new seq. One call of a priority pool may end a transaction and admit its hash again: only the
    // new state is written.
    this.stageIndexes.remove(known);
    renew(known, after, point, body, this.#slabs, at);
    return this.#add(known);
  }

  /** Adds a Pending transaction whose hash is neither live nor in the log. Returns its seq, which is the next one. */
  arrive(body: Transaction, at: number): number {
    const seq = this.lastSeq + 1;
    const row = arrivedRow(body, seq, at, this.#slabs);
    this.#byHash.set(row.hash, row);
    this.stageIndexes.arrive(row);
    this.lastSeq = seq;
    return seq;
  }

  /** The row of a log entry. */
  logged({ final, row }: LogRow): Row {
    return row ?? this.of(final.hash);
  }

  /** True if the hash has no later state than this log entry. */
  isLatest(entry: LogRow): boolean {
    return (entry.row ?? this.find(entry.final.hash))?.mark === entry;
  }

  /** Removes the row of a log entry. Returns false and keeps the row if the hash has a later state. */
  forget(entry: LogRow): boolean {
    if (!this.isLatest(entry)) return false;
    this.stageIndexes.remove(this.logged(entry));
    return this.#byHash.delete(entry.final.hash);
  }

  #add(row: Row): Row {
    this.#byHash.set(row.hash, row);
    this.stageIndexes.add(row);
    if (row.seq > this.lastSeq) this.lastSeq = row.seq;
    return row;
  }
}
