import { type KnownStage, knownStages, type PoolReason, poolReasons, type Stage } from 'mempool-core';
import { finalityBoundsMs, fromStages, liveStages, otherReason, type Tally } from './tally.ts';

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
  /** The transitions that occurred, with their counts. */
  readonly transitions: readonly { readonly from: Stage; readonly to: KnownStage; readonly count: number }[];
  /** Drops by pool reason; `other` has the application's reasons. */
  readonly dropped: Readonly<Record<PoolReason | 'other', number>>;
  readonly blocks: { readonly applied: number; readonly undone: number };
  readonly finality: Histogram;
  /** How often events were lost. */
  readonly lagged: number;
}

/** Returns a copy of the tally's totals, which later changes of the tally do not affect. */
export function storedTotals(tally: Tally): StoredTotals {
  const { at, applied, undone, lagged, finality, finalitySumMs: sumMs } = tally;
  const ofWords = poolReasons.map((reason, code) => [reason, tally.dropped[code] ?? 0]);
  const other = sumOf(tally.dropped.slice(otherReason));
  return {
    at,
    stages: stageCounts(tally),
    transitions: fromStages.flatMap((from) =>
      knownStages.map((to) => ({ from, to, count: transitionCount(tally, from, to) })).filter(({ count }) => count > 0),
    ),
    dropped: Object.fromEntries([...ofWords, ['other', other]]) as StoredTotals['dropped'],
    blocks: { applied, undone },
    finality: { boundsMs: finalityBoundsMs, counts: [...finality], sumMs },
    lagged,
  };
}

/** Returns the present number of live transactions by stage, and the number of transitions into each final stage. */
export function stageCounts(tally: Tally): Record<KnownStage, number> {
  const into = (to: KnownStage): number => sumOf(fromStages.map((from) => transitionCount(tally, from, to)));
  const live = liveStages.map((stage, i) => [stage, Math.max(0, tally.live[i] ?? 0)] as const);
  return {
    ...(Object.fromEntries(live) as Record<KnownStage, number>),
    Finalized: into('Finalized'),
    Dropped: into('Dropped'),
  };
}

function transitionCount({ transitions }: Tally, from: Stage, to: KnownStage): number {
  return transitions[fromStages.indexOf(from) * knownStages.length + knownStages.indexOf(to)] ?? 0;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
