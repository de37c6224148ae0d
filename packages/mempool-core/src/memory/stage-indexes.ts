import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint, KnownStage } from '../contract/transaction.ts';
import { bySeq, type Order, SortedList } from './sorted-list.ts';

/** One life of a transaction: live, or the latest one of its hash in the log. */
export interface Row {
  readonly seq: number;
  readonly payload: Uint8Array;
  readonly payloadType: number;
  txState: TxState;
  /** The confirming block of a Confirmed or Finalized row. */
  point: ChainPoint | null;
  /** The number of its log entry; 0 while it is live. */
  logSeq: number;
}

/** A place in the indexes. `seq` decides between equals. */
interface Key {
  readonly seq: number;
  readonly txState: Pick<TxState, 'tick'> & Partial<Pick<TxState, 'notBefore' | 'facts'>>;
}

type RowList = SortedList<Row, Key>;

/** The key behind all rows up to this tick. */
export function behindTick(tick: number): Key {
  return { seq: Number.POSITIVE_INFINITY, txState: { tick } };
}

/** The key of the row with this seq in a list by seq, or behind all with a lower one. */
export function behindSeq(seq: number): Key {
  return { seq, txState: { tick: 0 } };
}

const byTick: Order<Key> = { rank: ({ txState }) => txState.tick, compare: bySeq.compare };

const byHold: Order<Key> = { rank: ({ txState }) => txState.notBefore ?? 0, compare: bySeq.compare };

function sentAt({ txState }: Key): number {
  return txState.facts === undefined ? Number.POSITIVE_INFINITY : (txState.facts.sentAt ?? 0);
}

/** The time at which a row was sent, then its seq. A row without a known time comes first. */
export function bySending(a: Key, b: Key): number {
  const [one, other] = [sentAt(a), sentAt(b)];
  return one === other ? a.seq - b.seq : one - other;
}

/** By tick, and so by the time of sending too: blocks only raise the tick, and a rollback lowers the later ticks to its target. */
const bySent: Order<Key> = { rank: byTick.rank, compare: bySending };

/** The orders of a pool's rows, and how many there are in each stage. */
export class StageIndexes {
  /** The Pending rows that are not held back, by seq. */
  readonly pending: RowList = new SortedList<Row, Key>(bySeq);
  /** The Pending rows that are held back (P20), by the end of the hold. */
  readonly held: RowList = new SortedList<Row, Key>(byHold);
  /** The Propagated, Acknowledged and Confirmed rows, by seq. */
  readonly inflight: RowList = new SortedList<Row, Key>(bySeq);
  /** The Propagated and Acknowledged rows, by tick, so that a block or a rollback finds those that it changes (L12). */
  readonly waiting: RowList = new SortedList<Row, Key>(bySent);
  readonly confirmed: RowList = new SortedList<Row, Key>(byTick);
  readonly finalized: RowList = new SortedList<Row, Key>(byTick);
  readonly counts: Record<KnownStage, number> = {
    Pending: 0,
    Propagated: 0,
    Acknowledged: 0,
    Confirmed: 0,
    Finalized: 0,
    Dropped: 0,
  };
  readonly #waiting: readonly RowList[] = [this.inflight, this.waiting];
  readonly #lists: Readonly<Record<KnownStage, readonly RowList[]>> = {
    Pending: [this.pending],
    Propagated: this.#waiting,
    Acknowledged: this.#waiting,
    Confirmed: [this.inflight, this.confirmed],
    Finalized: [this.finalized],
    Dropped: [],
  };
  readonly #held: readonly RowList[] = [this.held];

  add(row: Row): void {
    this.counts[row.txState.stage] += 1;
    for (const list of this.#listsOf(row.txState)) list.insert(row);
  }

  remove(row: Row): void {
    this.counts[row.txState.stage] -= 1;
    for (const list of this.#listsOf(row.txState)) list.delete(row);
  }

  /** Writes the next state of a row. In a list of both stages, it keeps a position that is the same. */
  move(row: Row, txState: TxState): void {
    const [from, to] = [this.#listsOf(row.txState), this.#listsOf(txState)];
    const next = { seq: row.seq, txState };
    const stays = (list: RowList): boolean => to.includes(list) && from.includes(list) && list.isSame(row, next);
    const staying = from.filter(stays);
    for (const list of from) if (!staying.includes(list)) list.delete(row);
    this.counts[row.txState.stage] -= 1;
    row.txState = txState;
    this.counts[txState.stage] += 1;
    for (const list of to) if (!staying.includes(list)) list.insert(row);
  }

  #listsOf({ stage, notBefore }: TxState): readonly RowList[] {
    return notBefore === undefined ? this.#lists[stage] : this.#held;
  }
}
