import { isClosedAt } from '../contract/limits.ts';
import { isLive, type Transaction } from '../contract/transaction.ts';
import { FifoClaims } from '../rules/fifo-claims.ts';
import type { FifoEntry, Room } from '../rules/fifo-step.ts';
import { bodyOf, type Row, viewOf } from './row.ts';
import type { Rows } from './rows.ts';

/** The reads of a fifo pool on the rows in memory, with the pool's claims and its limits. */
export class FifoRows extends FifoClaims {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    super();
    this.#rows = rows;
  }

  /** Returns the number of transactions that still fit (negative if there are too many), or `'closed'`. */
  roomAt(nowMs: number): Room {
    if (isClosedAt(this, nowMs)) return 'closed';
    if (this.maxTxs === Number.POSITIVE_INFINITY) return this.maxTxs;
    const { stageIndexes } = this.#rows;
    const held = stageIndexes.count('Pending') + stageIndexes.count('Propagated') + stageIndexes.count('Acknowledged');
    return this.maxTxs - held;
  }

  /** The Pending rows that are not held back, by seq. */
  pending(): Iterable<FifoEntry> {
    return this.#rows.stageIndexes.pending.after(0);
  }

  /** The rows held back until `nowMs` or earlier: the earliest time first, then by seq (P20). */
  due(nowMs: number, limit: number): FifoEntry[] {
    return this.#rows.stageIndexes.held.until(nowMs, limit);
  }

  /** The Pending, Propagated and Acknowledged rows with a greater seq, by seq. */
  *unconfirmed(after: number): Generator<FifoEntry, undefined> {
    const { pending, inflight } = this.#rows.stageIndexes;
    const flying = inflight.after(after).filter(({ stage }) => stage !== 'Confirmed');
    let next = flying.next().value;
    for (const row of pending.after(after)) {
      for (; next !== undefined && next.seq < row.seq; next = flying.next().value) yield next;
      yield row;
    }
    for (; next !== undefined; next = flying.next().value) yield next;
  }

  /** The transactions with copies of their payloads, or with `view` with the payloads themselves; `null` for a hash that is not live. */
  bodies(
    hashes: readonly string[],
    { view = false }: { readonly view?: boolean | undefined } = {},
  ): (Transaction | null)[] {
    const read = view ? viewOf : bodyOf;
    return hashes.map((hash) => {
      const row = this.#live(hash);
      return row && read(row);
    });
  }

  /** The transactions in flight under claims of this id, by seq. */
  claimed(claimId: string): FifoEntry[] {
    const rows = this.under(claimId).map(({ hash }) => this.#live(hash));
    return rows.filter((row) => row !== null);
  }

  #live(hash: string): Row | null {
    const row = this.#rows.find(hash);
    return row !== null && isLive(row.stage) ? row : null;
  }
}
