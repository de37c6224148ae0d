import { isLive, type KnownStage, type Transaction } from '../contract/transaction.ts';
import { FifoClaims } from '../rules/fifo-claims.ts';
import type { FifoEntry } from '../rules/fifo-step.ts';
import { bodyOf, type Rows } from './rows.ts';
import { behindSeq, type Row } from './stage-indexes.ts';

/** The reads of a fifo pool on the rows in memory, with the pool's claims and its limits. */
export class FifoRows extends FifoClaims {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    super();
    this.#rows = rows;
  }

  /** The number of transactions that still fit; negative if there are too many. */
  get room(): number {
    const { Pending, Propagated, Acknowledged } = this.#rows.stageIndexes.counts;
    return this.maxTxs - Pending - Propagated - Acknowledged;
  }

  /** The Pending rows that are not held back, by seq. */
  pending(): IteratorObject<FifoEntry, undefined, unknown> {
    return this.#rows.stageIndexes.pending[Symbol.iterator]().map(entryOf);
  }

  /** The rows held back until `nowMs` or earlier: the earliest time first, then by seq (P20). */
  due(nowMs: number, limit: number): FifoEntry[] {
    const { held } = this.#rows.stageIndexes;
    const end = { seq: Number.POSITIVE_INFINITY, txState: { tick: 0, notBefore: nowMs } };
    const due = held.upTo(end).map(entryOf);
    return [...due.take(limit)];
  }

  /** The Pending, Propagated and Acknowledged rows with a greater seq, by seq. */
  *unconfirmed(after: number): Generator<FifoEntry, undefined> {
    const { pending, inflight } = this.#rows.stageIndexes;
    const flying = inflight.after(behindSeq(after)).filter(({ txState }) => txState.stage !== 'Confirmed');
    let next = flying.next().value;
    for (const row of pending.after(behindSeq(after))) {
      for (; next !== undefined && next.seq < row.seq; next = flying.next().value) yield entryOf(next);
      yield entryOf(row);
    }
    for (; next !== undefined; next = flying.next().value) yield entryOf(next);
  }

  /** The transactions with copies of their payloads, or with `view` with the payloads themselves; `null` for a hash that is not live. */
  bodies(
    hashes: readonly string[],
    { view = false }: { readonly view?: boolean | undefined } = {},
  ): (Transaction | null)[] {
    return hashes.map((hash) => {
      const row = this.#live(hash);
      if (row === null) return null;
      return view ? { hash, payload: row.payload, payloadType: row.payloadType } : bodyOf(row);
    });
  }

  /** The transactions in flight under claims of this id, by seq. */
  claimed(claimId: string): FifoEntry[] {
    const rows = this.under(claimId).map(({ hash }) => this.#live(hash));
    return rows.filter((row) => row !== null).map(entryOf);
  }

  #live(hash: string): Row | null {
    const row = this.#rows.find(hash);
    return row !== undefined && isLive(row.txState.stage) ? row : null;
  }
}

/** What `reap`, `take` and `since` of a fifo pool need of a row. */
function entryOf({ seq, payload, txState }: Row): FifoEntry & { readonly stage: KnownStage } {
  return { hash: txState.hash, seq, bytes: payload.length, stage: txState.stage };
}
