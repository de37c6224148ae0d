import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint, Transaction } from '../contract/transaction.ts';
import type { NumbersPart } from '../contract/transfer.ts';
import type { KeptBlock } from './kept-blocks.ts';
import type { PoolState } from './pool-state.ts';
import { bodyOf } from './rows.ts';
import { bySeq } from './sorted-list.ts';
import { behindSeq, type Row } from './stage-indexes.ts';

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
    const rows = this.#rowsAfter(after).filter(({ seq }) => seq <= last);
    return cut(rows, (row) => ({ state: row.txState, point: row.point, body: bodyOf(row) }));
  }

  /** The entries of the log from this number on. An empty page is the end. */
  ended(from: number, began: Pick<NumbersPart, 'lastSeq' | 'lastLogSeq'>): EndedRow[] {
    const { rows } = this.#state;
    const first = Math.max(from, rows.log.oldest);
    const numbered = rows.log.page(first, pageRows).map((ended, i) => ({ ...ended, logSeq: first + i }));
    return cut(numbered, ({ txState: state, point, at, logSeq }) => {
      const row = rows.find(state.hash) as Row;
      // The export has no live transaction that came after it began.
      const isLate = logSeq > began.lastLogSeq || row.seq > began.lastSeq;
      const body = isLate || row.logSeq === logSeq ? bodyOf(row) : null;
      return { logSeq, state, point, body, at, ...(isLate && { late: true }) };
    });
  }

  /** The kept blocks. */
  blocks(): Generator<KeptBlock, undefined> {
    return this.#state.blocks.all();
  }

  #rowsAfter(after: number): Row[] {
    const { pending, held, inflight } = this.#state.rows.stageIndexes;
    const key = behindSeq(after);
    const heldAfter = held.length === 0 ? [] : [...held].filter(({ seq }) => seq > after).sort(bySeq.compare);
    const found = [
      ...pending.after(key).take(pageRows),
      ...inflight.after(key).take(pageRows),
      ...heldAfter.slice(0, pageRows),
    ];
    return found.sort(bySeq.compare).slice(0, pageRows);
  }
}

function cut<Place, Read extends { readonly body: Transaction | null }>(
  places: readonly Place[],
  read: (place: Place) => Read,
): Read[] {
  const page: Read[] = [];
  let bytes = 0;
  for (const place of places) {
    const row = read(place);
    page.push(row);
    bytes += row.body?.payload.length ?? 0;
    if (bytes >= pageBytes) break;
  }
  return page;
}
