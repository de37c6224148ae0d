/** How far back a chart goes. Up to a day it is made of minutes, beyond that of hours. */
export type StatsRange = '2h' | '24h' | '7d' | '30d';

export interface StatsQuery {
  readonly range: StatsRange;
  /**
   * The time that one point stands for: rounded up to whole minutes (`2h`, `24h`) or hours. Default: a minute, 10 minutes,
   * an hour, 4 hours.
   */
  readonly stepMs?: number | undefined;
}

/** Columns of the same length, oldest first: one element for each step of the range. */
export interface Stats {
  readonly stepMs: number;
  /** The beginning of each step, in milliseconds since 1970, by the pool's clock. */
  readonly at: number[];
  readonly received: number[];
  readonly finalized: number[];
  /** Drops by reason, written as in `Summary`. Only reasons that occur in the range have a column. */
  readonly dropped: Record<string, number[]>;
  /** Transactions that returned because their block was undone. */
  readonly rolledBack: number[];
  /** Blocks applied. */
  readonly blocks: number[];
  readonly blocksUndone: number[];
  /** The highest number of Pending transactions. */
  readonly pendingHigh: number[];
  /** The time from being received to Finalized, in milliseconds; `null` where nothing became Finalized. */
  readonly finalityP50: (number | null)[];
  readonly finalityP95: (number | null)[];
  /** True where events are missing. */
  readonly incomplete: boolean[];
}

/** Events that the monitor never saw: the store no longer had them when it read on. */
export interface Gap {
  /** The last event before, in milliseconds since 1970; 0: the pool's beginning. */
  readonly from: number;
  /** The first event after; `null` if none came yet. */
  readonly to: number | null;
  /** How many events; 0 if the store was restored to an earlier state. */
  readonly missed: number;
}
