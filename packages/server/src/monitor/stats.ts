import { invalid } from 'mempool-core/backend';
import { type Bucket, emptyBucket, percentilesOf, type SeriesName, seriesRules } from './bucket.ts';
import type { Fold } from './fold.ts';

const ranges: Readonly<Record<'2h' | '24h' | '7d' | '30d', { readonly name: SeriesName; readonly length: number }>> = {
  '2h': { name: 'minutes', length: 120 },
  '24h': { name: 'tenMinutes', length: 144 },
  '7d': { name: 'hours', length: 168 },
  '30d': { name: 'hours', length: 720 },
};

/** The range of a chart: minutes of 2 hours, ten minutes of 24 hours, hours of 7 or 30 days. */
export type StatsRange = keyof typeof ranges;

/** The counts of one step of a chart. */
export interface Step extends Readonly<Omit<Bucket, 'index' | 'pendingLast' | 'took'>> {
  /** The beginning of the step, in milliseconds since 1970, by the pool's clock. */
  readonly at: number;
  /** True if events of this time are missing. */
  readonly incomplete: boolean;
}

/** The steps of a chart, oldest first. The last one is the running step. */
export interface Stats {
  readonly stepMs: number;
  readonly steps: readonly Step[];
}

/** Returns the steps of a chart up to `now`, the clock. @throws `ERR_MEMPOOL_INVALID` naming `range` */
export function statsOf(fold: Fold, range: StatsRange, now: number): Stats {
  if (!Object.hasOwn(ranges, range)) throw invalid('range', `one of ${Object.keys(ranges).join(', ')}`);
  const { name, length } = ranges[range];
  const { widthMs } = seriesRules[name];
  const first = Math.floor(now / widthMs) - length + 1;
  const buckets = new Map(fold.series[name].map((bucket) => [bucket.index, bucket]));
  let pending = fold.series[name].findLast(({ index }) => index < first)?.pendingLast ?? 0;
  const steps = Array.from({ length }, (_, i) => {
    // Where there was no event, as many as before were Pending.
    const bucket = buckets.get(first + i) ?? emptyBucket(first + i, pending);
    pending = bucket.pendingLast;
    return stepOf(bucket, fold, widthMs);
  });
  return { stepMs: widthMs, steps };
}

function stepOf(bucket: Bucket, fold: Fold, widthMs: number): Step {
  const { index, pendingLast: _last, took: _took, ...counts } = bucket;
  const at = index * widthMs;
  return { at, ...counts, ...percentilesOf(bucket), incomplete: isIncomplete(fold, at, widthMs) };
}

function isIncomplete({ lost }: Fold, from: number, widthMs: number): boolean {
  return lost !== null && lost.from < from + widthMs && (lost.to ?? Number.POSITIVE_INFINITY) > from;
}
