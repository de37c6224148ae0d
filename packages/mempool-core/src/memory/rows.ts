import type { Transaction } from '../contract/transaction.ts';
import type { Write } from '../rules/step.ts';
import { arrivedRow, type LogRow, makeRow, PayloadSlabs, type Row, renew } from './row.ts';
import { StageIndexes } from './stage-indexes.ts';

/** What memory keeps of every hash that is live or in the log, by hash and in the indexes. */
export class Rows {
  readonly stageIndexes: StageIndexes = new StageIndexes();
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
      this.stageIndexes.move(known, after, point);
      return known;
    }
    // A new life. A call of a priority pool may end one and begin the next: only the next is written.
    this.stageIndexes.remove(known);
    renew(known, after, point, body, this.#slabs);
    return this.#add(known);
  }

  /** Pending, with the next seq, which is returned: of a hash that is neither live nor in the log. */
  arrive(body: Transaction): number {
    const seq = this.lastSeq + 1;
    const row = arrivedRow(body, seq, this.#slabs);
    this.#byHash.set(row.hash, row);
    this.stageIndexes.arrive(row);
    this.lastSeq = seq;
    return seq;
  }

  /** Of an entry of the log. */
  logged({ txState, row }: LogRow): Row {
    return row ?? this.of(txState.hash);
  }

  /** Whether the hash has no later life than the one that this entry ended. */
  isLatest({ txState, row }: LogRow): boolean {
    return (row ?? this.find(txState.hash))?.mark?.final === txState;
  }

  /** Whether it is gone: a hash that has a later life than this one stays. */
  forget(entry: LogRow): boolean {
    if (!this.isLatest(entry)) return false;
    this.stageIndexes.remove(this.logged(entry));
    return this.#byHash.delete(entry.txState.hash);
  }

  #add(row: Row): Row {
    this.#byHash.set(row.hash, row);
    this.stageIndexes.add(row);
    if (row.seq > this.lastSeq) this.lastSeq = row.seq;
    return row;
  }
}
