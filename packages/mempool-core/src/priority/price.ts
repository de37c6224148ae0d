import type { CheckedVerdict } from '../contract/verdict.ts';

/** What a replacement must have at least (P4, P29). */
export interface Price {
  readonly most: bigint;
  readonly tip: bigint;
}

/** Without a tip, all of its priority counts as one. */
export function tipOf({ priority, tip = priority }: CheckedVerdict): bigint {
  return tip;
}

/** Negative if `a` is lower. */
export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function highest(values: readonly bigint[]): bigint {
  const [first = 0n, ...rest] = values;
  let most = first;
  for (const value of rest) if (value > most) most = value;
  return most;
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

const hundred = 100n;

/**
 * The lowest priority that may replace a transaction of priority `old`: higher by `bumpPercent` per cent, rounded up,
 * and at least by 1. It may exceed the highest valid priority.
 */
export function replacementBound(old: bigint, bumpPercent: number): bigint {
  const bumped = ceilingOfHundredths(old * (hundred + BigInt(bumpPercent)));
  return bumped > old ? bumped : old + 1n;
}

/** The division of bigints rounds towards zero. For negative values this is the ceiling already. */
function ceilingOfHundredths(value: bigint): bigint {
  return value > 0n ? (value + hundred - 1n) / hundred : value / hundred;
}
