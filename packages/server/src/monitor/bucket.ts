import { percentile } from './histogram.ts';

/** The width of the buckets of a series in milliseconds, and how many of them are kept. */
export interface SeriesRule {
  readonly widthMs: number;
  readonly length: number;
}

/** Minutes of two hours, ten minutes of a day, hours of 30 days. */
export const seriesRules: Readonly<Record<'minutes' | 'tenMinutes' | 'hours', SeriesRule>> = {
  minutes: { widthMs: 60_000, length: 120 },
  tenMinutes: { widthMs: 600_000, length: 144 },
  hours: { widthMs: 3_600_000, length: 720 },
};

export type SeriesName = keyof typeof seriesRules;
export const seriesNames: readonly SeriesName[] = ['minutes', 'tenMinutes', 'hours'];

/** Counts of transactions and blocks. */
export interface Counts {
  received: number;
  finalized: number;
  rolledBack: number;
  applied: number;
  undone: number;
  /** Drops by the name of the reason. A closed bucket has the most frequent reasons, and `other`. */
  dropped: Record<string, number>;
}

/** The counts of one span. There is no bucket for a span without events. */
export interface Bucket extends Counts {
  /** The start of the span divided by its width. */
  readonly index: number;
  pendingHigh: number;
  /** Pending transactions at the end of the span. */
  pendingLast: number;
  /** Times to finality by the index of their bound. Empty in a closed bucket. */
  took: number[];
  /** Percentiles of the time to finality in a closed bucket. */
  p50Ms: number | null;
  p95Ms: number | null;
}

/** So many reasons are kept in a closed bucket. */
const keptReasons = 3;
/** Stands for all other reasons. */
const otherReasons = 'other';

/**
 * Returns the bucket of this time, which is the last one. When a bucket is opened, the third from the end is closed: the
 * last two are needed to compute rates and times to finality over the last minute and the last hour.
 */
export function bucketAt(series: Bucket[], { widthMs, length }: SeriesRule, at: number, pending: number): Bucket {
  const index = Math.floor(at / widthMs);
  const last = series.at(-1);
  if (last !== undefined && last.index >= index) return last;
  const opened = emptyBucket(index, pending);
  series.push(opened);
  const closing = series.at(-3);
  if (closing !== undefined) close(closing);
  while ((series[0]?.index ?? index) <= index - length) series.shift();
  return opened;
}

export function noCounts(): Counts {
  return { received: 0, finalized: 0, rolledBack: 0, applied: 0, undone: 0, dropped: {} };
}

/** Returns a bucket without events. */
export function emptyBucket(index: number, pending: number): Bucket {
  return { index, ...noCounts(), pendingHigh: pending, pendingLast: pending, took: [], p50Ms: null, p95Ms: null };
}

function close(bucket: Bucket): void {
  Object.assign(bucket, percentilesOf(bucket), { took: [] });
  const reasons = Object.entries(bucket.dropped).sort(([, a], [, b]) => b - a);
  const kept: Record<string, number> = Object.fromEntries(reasons.slice(0, keptReasons));
  for (const [, count] of reasons.slice(keptReasons)) kept[otherReasons] = (kept[otherReasons] ?? 0) + count;
  bucket.dropped = kept;
}

/** Returns the percentiles of the time to finality in a bucket; `null` if nothing became Finalized. */
export function percentilesOf({ took, p50Ms, p95Ms }: Bucket): Pick<Bucket, 'p50Ms' | 'p95Ms'> {
  return took.length === 0 ? { p50Ms, p95Ms } : { p50Ms: percentile(took, 0.5), p95Ms: percentile(took, 0.95) };
}

/**
 * Returns how much each of the last buckets counts for the last `widthMs` before `now`: all of the running bucket, and of the
 * one before it the share that is not older.
 */
export function recentBuckets(series: readonly Bucket[], { widthMs }: SeriesRule, now: number): [Bucket, number][] {
  const [index, share] = [Math.floor(now / widthMs), 1 - (now % widthMs) / widthMs];
  return series
    .slice(-2)
    .filter((bucket) => bucket.index >= index - 1)
    .map((bucket) => [bucket, bucket.index === index ? 1 : share]);
}

export function dropsIn({ dropped }: Counts): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}
