import { isClosedAt } from '../contract/limits.ts';
import { isLive, type Transaction } from '../contract/transaction.ts';
import { FifoClaims } from '../rules/fifo-claims.ts';
import type { FifoEntry } from '../rules/fifo-step.ts';
import type { Room } from '../rules/step.ts';
import type { Rows } from './rows.ts';
import { noSlot } from './slots.ts';

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
  *pending(): Generator<FifoEntry, undefined> {
    for (const slot of this.#rows.stageIndexes.pending.after(0)) yield this.#rows.entry(slot);
  }

  /** The rows held back until `nowMs` or earlier: the earliest time first, then by seq (P20). */
  due(nowMs: number, limit: number): FifoEntry[] {
    return this.#rows.stageIndexes.held.until(nowMs, limit).map((slot) => this.#rows.entry(slot));
  }

  /** The Pending, Propagated and Acknowledged rows with a greater seq, by seq. */
  *unconfirmed(after: number): Generator<FifoEntry, undefined> {
    const { pending, inflight } = this.#rows.stageIndexes;
    const rows = this.#rows;
    const flying = inflight
      .after(after)
      .map((slot) => rows.entry(slot))
      .filter(({ stage }) => stage !== 'Confirmed');
    let next = flying.next().value;
    for (const slot of pending.after(after)) {
      const row = rows.entry(slot);
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
    const rows = this.#rows;
    return hashes.map((hash) => {
      const slot = this.#live(hash);
      if (slot === noSlot) return null;
      return view ? rows.view(slot) : rows.body(slot);
    });
  }

  /** The transactions in flight under claims of this id, by seq. */
  claimed(claimId: string): FifoEntry[] {
    const slots = this.under(claimId).map(({ hash }) => this.#live(hash));
    return slots.filter((slot) => slot !== noSlot).map((slot) => this.#rows.entry(slot));
  }

  #live(hash: string): number {
    const slot = this.#rows.find(hash);
    return slot !== noSlot && isLive(this.#rows.columns.stage(slot)) ? slot : noSlot;
  }
}
