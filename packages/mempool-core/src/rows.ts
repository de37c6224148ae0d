import type { Life } from './lifecycle.ts';
import { PayloadSlabs } from './payload-slabs.ts';
import { arrivedRow, makeRow, type Row } from './row.ts';
import { Shelves } from './shelves.ts';
import type { Write } from './step.ts';
import { isLive, type Transaction } from './transaction.ts';

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

  write({ after, point, body }: Write): void {
    if (body === null) {
      this.shelves.move(this.of(after.hash), after, point);
      return;
    }
    // A call of a priority pool may end a life and begin the next: only the next is written.
    const ended = this.find(after.hash);
    if (ended !== null && isLive(ended.stage)) this.shelves.remove(ended);
    this.#add(makeRow(after, point, body, this.#slabs));
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

  /** Whether it is gone: a hash that has a later life than this one stays. */
  forget(life: Life): boolean {
    const row = this.of(life.hash);
    if (row.mark?.final !== life) return false;
    this.shelves.remove(row);
    return this.#byHash.delete(life.hash);
  }

  /** A new life: a row that the hash had is Dropped, in no list, and gone with this. */
  #add(row: Row): void {
    this.#byHash.set(row.hash, row);
    this.shelves.add(row);
    if (row.seq > this.lastSeq) this.lastSeq = row.seq;
  }
}
