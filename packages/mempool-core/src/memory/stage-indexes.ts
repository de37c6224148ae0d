import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint, KnownStage } from '../contract/transaction.ts';
import { type Row, rewrite } from './row.ts';
import { SeqList } from './seq-list.ts';
import { TickIndex } from './tick-index.ts';

/** Where the rows of a stage are found, and how many there are. */
interface StageIndex {
  readonly seqs: SeqList | null;
  readonly ticks: TickIndex | null;
  count: number;
}

/** The indexes over a pool's rows. */
export class StageIndexes {
  readonly pending: SeqList = new SeqList();
  readonly inflight: SeqList = new SeqList();
  /** Propagated and Acknowledged. */
  readonly waiting: TickIndex = new TickIndex();
  readonly confirmed: TickIndex = new TickIndex();
  readonly finalized: TickIndex = new TickIndex();
  readonly #pending: StageIndex = { seqs: this.pending, ticks: null, count: 0 };
  readonly #byStage: Readonly<Record<KnownStage, StageIndex>> = {
    Pending: this.#pending,
    Propagated: { seqs: this.inflight, ticks: this.waiting, count: 0 },
    Acknowledged: { seqs: this.inflight, ticks: this.waiting, count: 0 },
    Confirmed: { seqs: this.inflight, ticks: this.confirmed, count: 0 },
    Finalized: { seqs: null, ticks: this.finalized, count: 0 },
    Dropped: { seqs: null, ticks: null, count: 0 },
  };

  count(stage: KnownStage): number {
    return this.#byStage[stage].count;
  }

  /** Of the live ones. */
  counts(): Record<'pending' | 'propagated' | 'acknowledged' | 'confirmed', number> {
    const { Pending, Propagated, Acknowledged, Confirmed } = this.#byStage;
    return {
      pending: Pending.count,
      propagated: Propagated.count,
      acknowledged: Acknowledged.count,
      confirmed: Confirmed.count,
    };
  }

  add(row: Row): void {
    const stageIndex = this.#byStage[row.stage];
    stageIndex.count += 1;
    stageIndex.seqs?.insert(row);
    stageIndex.ticks?.insert(row);
  }

  /** A Pending row with a greater seq than any before. */
  arrive(row: Row): void {
    this.#pending.count += 1;
    this.pending.append(row);
  }

  remove(row: Row): void {
    const stageIndex = this.#byStage[row.stage];
    stageIndex.count -= 1;
    stageIndex.seqs?.delete(row);
    stageIndex.ticks?.delete(row);
  }

  /** The row's next life, with the same seq: its place in a list that has both stages stays. */
  move(row: Row, txState: TxState, point: ChainPoint | null): void {
    const from = this.#byStage[row.stage];
    const to = this.#byStage[txState.stage];
    from.ticks?.delete(row);
    if (from.seqs !== to.seqs) from.seqs?.delete(row);
    rewrite(row, txState, point);
    if (from.seqs !== to.seqs) to.seqs?.insert(row);
    to.ticks?.insert(row);
    from.count -= 1;
    to.count += 1;
  }
}
