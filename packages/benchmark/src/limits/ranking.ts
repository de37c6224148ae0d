import type { Priced } from '../workloads/ranked-sample.ts';
import type { Done } from './limit.ts';

/** The least that a full store must do which lets the better in for the worst: it keeps one order, and removes from its end. */
export interface BareRanking {
  /** Takes them in while there is room. */
  fill(transactions: readonly Priced[]): Done;
  /** Takes each in and removes the worst for each, all in one step. */
  admit(newcomers: readonly Priced[]): Done;
  /** Frees everything, what is stored included. */
  close(): Done;
}

/** One that evictions are held against. */
export interface RankingLimit {
  readonly name: string;
  open(): Promise<BareRanking>;
}
