import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint, Transaction } from '../contract/transaction.ts';
import type { NumbersPart } from '../contract/transfer.ts';
import type { KeptBlock } from './kept-blocks.ts';
import type { PoolState } from './pool-state.ts';

/** Rows and payload bytes of a page, about. */
const pageRows = 500;
const pageBytes = 1024 * 1024;

/** A live transaction of a page, with a copy of its payload. */
export interface LiveRow {
  readonly state: TxState;
  readonly point: ChainPoint | null;
  readonly body: Transaction;
}

/** An entry of the log. `body` is `null` if the hash has a later state. */
export interface EndedRow extends Omit<LiveRow, 'body'> {
  readonly logSeq: number;
  readonly body: Transaction | null;
  readonly at: number;
  readonly late?: true;
}

/** Pages of a pool in memory for an export (D3). Others may write between two pages. */
export class PoolPages {
  readonly #state: PoolState;

  constructor(state: PoolState) {
    this.#state = state;
  }

  /** The live transactions with a seq above `after` and up to `last`, by seq. An empty page is the end. */
  live(after: number, last: number): LiveRow[] {
    const { rows } = this.#state;
    const slots = this.#slotsAfter(after).filter((slot) => rows.columns.seq(slot) <= last);
    return cut(slots, (slot) => ({ state: rows.state(slot), point: rows.point(slot), body: rows.body(slot) }));
  }

  /** The entries of the log from this number on. An empty page is the end. */
  ended(from: number, began: Pick<NumbersPart, 'lastSeq' | 'lastLogSeq'>): EndedRow[] {
    const { rows, log } = this.#state;
    const first = Math.max(from, log.oldest);
    const count = Math.max(0, Math.min(pageRows, log.last - first + 1));
    const numbers = Array.from({ length: count }, (_, i) => first + i);
    return cut(numbers, (logSeq) => {
      const { point, at } = log.ending(logSeq);
      const slot = rows.logged(logSeq);
      // The export has no live transaction that came after it began.
      const isLate = logSeq > began.lastLogSeq || rows.columns.seq(slot) > began.lastSeq;
      const body = isLate || log.past(logSeq) === null ? rows.body(slot) : null;
      return { logSeq, state: rows.ended(logSeq), point, body, at, ...(isLate && { late: true }) };
    });
  }

  /** The kept blocks. */
  blocks(): Generator<KeptBlock, undefined> {
    return this.#state.blocks.all();
  }

  #slotsAfter(seq: number): number[] {
    const { columns, stageIndexes } = this.#state.rows;
    const { pending, held, inflight } = stageIndexes;
    const all = Number.POSITIVE_INFINITY;
    const heldAfter = held.length === 0 ? [] : held.until(all, all).filter((slot) => columns.seq(slot) > seq);
    const bySeq = (a: number, b: number): number => columns.seq(a) - columns.seq(b);
    const found = [
      ...pending.after(seq).take(pageRows),
      ...inflight.after(seq).take(pageRows),
      ...heldAfter.sort(bySeq).slice(0, pageRows),
    ];
    return found.sort(bySeq).slice(0, pageRows);
  }
}

function cut<Place, Row extends { readonly body: Transaction | null }>(
  places: readonly Place[],
  read: (place: Place) => Row,
): Row[] {
  const page: Row[] = [];
  let bytes = 0;
  for (const place of places) {
    const row = read(place);
    page.push(row);
    bytes += row.body?.payload.length ?? 0;
    if (bytes >= pageBytes) break;
  }
  return page;
}
