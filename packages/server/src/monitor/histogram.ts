import { finalityBoundsMs } from './tally.ts';

/** Adds counts by bound to others. */
export function addHistogram(sum: number[], counts: readonly number[]): void {
  for (const [i, count] of counts.entries()) sum[i] = (sum[i] ?? 0) + count;
}

/**
 * Returns a percentile of the counted times, interpolated between two bounds, or the highest bound for times above that.
 * Returns `null` if nothing was counted.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rank = share * total;
  for (const [i, count] of counts.entries()) {
    const [below, bound] = [finalityBoundsMs[i - 1] ?? 0, finalityBoundsMs[i]];
    if (bound === undefined) return below;
    if (count > 0 && rank <= count) return Math.round(below + (bound - below) * (rank / count));
    rank -= count;
  }
  return finalityBoundsMs.at(-1) ?? null;
}
