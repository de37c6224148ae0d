import type { KnownStage, PoolReason, Stage } from 'mempool-core';

/** A histogram: `counts[i]` values of at most `boundsMs[i]` and above the bound before; the last count is for all above. */
export interface Histogram {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** The totals of a saved state. */
export interface StoredTotals {
  /** The `at` of its last event; `null` before the first. */
  readonly at: number | null;
  readonly stages: Readonly<Record<KnownStage, number>>;
  /** Those that occurred. */
  readonly transitions: readonly { readonly from: Stage; readonly to: KnownStage; readonly count: number }[];
  /** Drops by the pool's words; `other`: for the application's reasons. */
  readonly dropped: Readonly<Record<PoolReason | 'other', number>>;
  readonly blocks: { readonly applied: number; readonly undone: number };
  readonly finality: Histogram;
  /** How often events were lost. */
  readonly lagged: number;
}
