import { invalid } from 'mempool-core/backend';
import { addHistogram, percentile } from './histogram.ts';
import { type Bucket, hourRule, minuteRule, reasonNames, type Series, type SeriesRule, type Tally } from './tally.ts';

/** The range of a chart. Up to a day it is computed from minutes, beyond that from hours. */
export type StatsRange = '2h' | '24h' | '7d' | '30d';

export interface StatsQuery {
  readonly range: StatsRange;
  /**
   * The duration of one step, rounded up to whole minutes (`2h`, `24h`) or hours. Default by range: a minute, 10 minutes, an
   * hour, 4 hours.
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
  /** Drops by reason, with the names of `Summary`. Only reasons that occur in the range have a column. */
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
  /** True for steps in which events are missing. */
  readonly incomplete: boolean[];
}

interface Range {
  readonly lengthMs: number;
  readonly stepMs: number;
  readonly rule: SeriesRule;
  readonly series: (tally: Tally) => Series;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minutes = { rule: minuteRule, series: (tally: Tally) => tally.minutes };
const hours = { rule: hourRule, series: (tally: Tally) => tally.hours };
const ranges: Readonly<Record<StatsRange, Range>> = {
  '2h': { lengthMs: 2 * hourMs, stepMs: 60_000, ...minutes },
  '24h': { lengthMs: dayMs, stepMs: 600_000, ...minutes },
  '7d': { lengthMs: 7 * dayMs, stepMs: hourMs, ...hours },
  '30d': { lengthMs: 30 * dayMs, stepMs: 4 * hourMs, ...hours },
};

/** Returns the columns of a chart. The last step includes `now`, the pool's clock. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function statsOf(tally: Tally, query: StatsQuery, now: number): Stats {
  const { range, stepMs } = checkedQuery(query);
  const width = Math.ceil(stepMs / range.rule.widthMs) * range.rule.widthMs;
  const end = Math.floor(now / width) * width + width;
  const steps = Math.ceil(range.lengthMs / width);
  const columns = new Columns({ tally, first: end - steps * width, width, steps });
  for (const bucket of range.series(tally).buckets) columns.add(bucket, bucket.index * range.rule.widthMs);
  return columns.finished();
}

function checkedQuery({ range: name, stepMs }: StatsQuery): { readonly range: Range; readonly stepMs: number } {
  const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
  if (range === undefined) throw invalid('range', `one of ${Object.keys(ranges).join(', ')}`);
  if (stepMs === undefined) return { range, stepMs: range.stepMs };
  if (Number.isFinite(stepMs) && stepMs > 0 && stepMs <= range.lengthMs) return { range, stepMs };
  throw invalid('stepMs', `a number above 0 and at most ${range.lengthMs}, the length of the range`);
}

/** The columns of a range while buckets are added to them, oldest first. */
class Columns {
  readonly #names: readonly string[];
  readonly #given: { readonly tally: Tally; readonly first: number; readonly width: number; readonly steps: number };
  readonly #stats: Stats;
  readonly #finality: number[][];
  /** The step of the last bucket added, and the Pending transactions at its end. */
  #filled = -1;
  #pending = 0;

  constructor(given: {
    readonly tally: Tally;
    readonly first: number;
    readonly width: number;
    readonly steps: number;
  }) {
    const { tally, first, width, steps } = given;
    const zeros = (): number[] => new Array<number>(steps).fill(0);
    const nulls = (): (number | null)[] => new Array<number | null>(steps).fill(null);
    this.#given = given;
    this.#names = reasonNames(tally);
    this.#finality = Array.from({ length: steps }, () => []);
    this.#stats = {
      stepMs: width,
      at: Array.from({ length: steps }, (_, i) => first + i * width),
      received: zeros(),
      finalized: zeros(),
      dropped: {},
      rolledBack: zeros(),
      blocks: zeros(),
      blocksUndone: zeros(),
      pendingHigh: zeros(),
      finalityP50: nulls(),
      finalityP95: nulls(),
      incomplete: Array.from({ length: steps }, (_, i) => isIncomplete(tally, first + i * width, width)),
    };
  }

  add(bucket: Bucket, at: number): void {
    const { first, width, steps } = this.#given;
    const step = Math.floor((at - first) / width);
    if (step >= steps) return;
    if (step >= 0) {
      this.#carryPending(step);
      this.#addCounts(bucket, step);
    }
    this.#pending = bucket.pendingLast;
  }

  finished(): Stats {
    this.#carryPending(this.#given.steps - 1);
    for (const [step, counts] of this.#finality.entries()) {
      this.#stats.finalityP50[step] = percentile(counts, 0.5);
      this.#stats.finalityP95[step] = percentile(counts, 0.95);
    }
    return this.#stats;
  }

  #addCounts(bucket: Bucket, step: number): void {
    const stats = this.#stats;
    const add = (column: number[], count: number): void => {
      column[step] = (column[step] ?? 0) + count;
    };
    add(stats.received, bucket.received);
    add(stats.finalized, bucket.finalized);
    add(stats.rolledBack, bucket.rolledBack);
    add(stats.blocks, bucket.applied);
    add(stats.blocksUndone, bucket.undone);
    stats.pendingHigh[step] = Math.max(stats.pendingHigh[step] ?? 0, bucket.pendingHigh);
    for (const [code, count] of bucket.dropped.entries()) {
      if (count === 0) continue;
      const name = this.#names[code] ?? 'other';
      stats.dropped[name] ??= new Array<number>(this.#given.steps).fill(0);
      add(stats.dropped[name], count);
    }
    addHistogram(this.#finality[step] as number[], bucket.finality);
  }

  /** Times without events have no bucket: as many as before were Pending then. */
  #carryPending(until: number): void {
    for (let step = this.#filled + 1; step <= until; step++) this.#stats.pendingHigh[step] = this.#pending;
    this.#filled = Math.max(this.#filled, until);
  }
}

function isIncomplete({ gaps }: Tally, from: number, width: number): boolean {
  return gaps.some((gap) => gap.from < from + width && (gap.to ?? Number.POSITIVE_INFINITY) >= from);
}
