/** The median of several rounds, the middle half around it, and the extremes. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
  readonly least: number;
  readonly most: number;
  readonly rounds: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: median(values),
    lower: quantile(values, 0.25),
    upper: quantile(values, 0.75),
    least: Math.min(...values),
    most: Math.max(...values),
    rounds: values.length,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Between two values it lies on the straight line from one to the other. @throws RangeError without a value */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values, so no quantile');
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

/** Round by round: the first ÷ the second. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): number[] {
  if (dividends.length !== divisors.length) throw new RangeError('ratios need the same rounds of both');
  return dividends.map((dividend, round) => dividend / (divisors[round] as number));
}
