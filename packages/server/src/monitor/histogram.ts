/** Upper bounds of the time to finality: from half a second to a day. */
export const finalityBoundsMs: readonly number[] = [
  500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_200_000, 1_800_000,
  2_700_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 86_400_000,
];

/** Returns the index of the bound of a time; the last index is for all above the highest bound. */
export function boundOf(tookMs: number): number {
  const bound = finalityBoundsMs.findIndex((each) => tookMs <= each);
  return bound < 0 ? finalityBoundsMs.length : bound;
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
