import type { Cause, KnownStage } from 'mempool-core';

/** How many events of a kind there were in each second, on average over the last minute and the last five minutes. */
export interface Rate {
  readonly perSecond1m: number;
  readonly perSecond5m: number;
}

/** The monitor's numbers at one event of the pool: its totals stand for all events up to `cursor`. */
export interface Summary {
  /** The `at` of the last event counted, in milliseconds since 1970; `null` before the first event with a time. */
  readonly at: number | null;
  /** The position after the last event counted. */
  readonly cursor: string;
  /** Transactions in each stage: now for the first four; Finalized and Dropped count transitions into them. */
  readonly stages: Readonly<Record<KnownStage, number>>;
  /** Transactions received. One that comes back after its end counts again. */
  readonly received: number;
  /** Transitions by their cause. */
  readonly causes: Readonly<Record<Cause, number>>;
  /**
   * Drops by reason: a word of the pool, `app:` and the application's text, or `other` for texts of the application that
   * are too long or too many. Reasons that did not occur are left out.
   */
  readonly reasons: Readonly<Record<string, number>>;
  readonly blocks: { readonly applied: number; readonly undone: number };
  readonly rates: { readonly received: Rate; readonly finalized: Rate; readonly dropped: Rate };
  /** The time from being received to Finalized, over the last hour. `null` if nothing became Finalized. */
  readonly finality: { readonly count: number; readonly p50Ms: number | null; readonly p95Ms: number | null };
  /** The totals lack events from this time on, in milliseconds since 1970; 0: from the pool's beginning; `null`: none. */
  readonly incompleteSince: number | null;
  /** How many events the totals lack. */
  readonly missed: number;
  /** The `at` of the last saved state; `null` if none is saved yet. It stays behind while the store takes no writes. */
  readonly savedAt: number | null;
}
