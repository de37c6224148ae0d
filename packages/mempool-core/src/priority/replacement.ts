const hundred = 100n;

/**
 * The lowest priority that may replace one of priority `old`: `bumpPercent` per cent more, rounded up, and more in any case.
 * It may lie above every priority there is.
 */
export function replacementBound(old: bigint, bumpPercent: number): bigint {
  const bumped = ceilingOfHundredths(old * (hundred + BigInt(bumpPercent)));
  return bumped > old ? bumped : old + 1n;
}

/** Division of bigints cuts towards zero: below zero that is the ceiling already. */
function ceilingOfHundredths(value: bigint): bigint {
  return value > 0n ? (value + hundred - 1n) / hundred : value / hundred;
}
