import type { KnownStage } from 'mempool-core';
import { type Bucket, dropsIn, recentBuckets, seriesRules } from './bucket.ts';
import type { Fold } from './fold.ts';
import { percentile } from './histogram.ts';

/** The monitor's numbers at one event of the pool. */
export interface Summary {
  /** The `at` of the last event counted, in milliseconds since 1970; `null` before the first event. */
  readonly at: number | null;
  /** The clock when the summary was made, in milliseconds since 1970. Ages and rates are as of that time. */
  readonly now: number;
  /** The position after the last event counted. */
  readonly cursor: string;
  /** The time from which the totals count, in milliseconds since 1970; `null`: from the first event of the pool. */
  readonly since: number | null;
  /** For the live stages, the present number of transactions. For Finalized and Dropped, how many came into them. */
  readonly stages: Readonly<Record<KnownStage, number>>;
  /** Number of transactions received. One that is received again after its end counts again. */
  readonly received: number;
  /**
   * Drops by reason: a pool reason, `app:` and the application's text, or `other` for texts of the application that are too
   * long or too many. Reasons that did not occur are left out.
   */
  readonly reasons: Readonly<Record<string, number>>;
  readonly blocks: { readonly applied: number; readonly undone: number };
  /** Transactions per minute, over the last minute. */
  readonly perMinute: { readonly received: number; readonly finalized: number; readonly dropped: number };
  /** The time from being received to Finalized, over the last hour. `null` if nothing became Finalized. */
  readonly finality: { readonly p50Ms: number | null; readonly p95Ms: number | null };
}

/** Returns the summary of the numbers. `now` is the clock, for rates and other numbers of a recent time. */
export function summaryOf({ at, cursor, lost, live, totals, series }: Fold, now: number): Summary {
  const minute = recentBuckets(series.minutes, seriesRules.minutes, now);
  const perMinute = (read: (bucket: Bucket) => number): number =>
    minute.reduce((sum, [bucket, share]) => sum + share * read(bucket), 0);
  const took: number[] = [];
  for (const [bucket, share] of recentBuckets(series.hours, seriesRules.hours, now))
    for (const [i, count] of bucket.took.entries()) took[i] = (took[i] ?? 0) + count * share;
  const { received, finalized, dropped, applied, undone } = totals;
  return {
    ...{ at, now, cursor, received },
    since: lost === null ? null : (lost.to ?? now),
    stages: { ...live, Finalized: finalized, Dropped: dropsIn(totals) },
    reasons: { ...dropped },
    blocks: { applied, undone },
    perMinute: {
      received: perMinute((bucket) => bucket.received),
      finalized: perMinute((bucket) => bucket.finalized),
      dropped: perMinute(dropsIn),
    },
    finality: { p50Ms: percentile(took, 0.5), p95Ms: percentile(took, 0.95) },
  };
}
