/** Places values on a line so that equal factors take equal room. */
export interface LogScale {
  /** Powers of ten from the least value to the most. */
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** @param from where the least tick lies; @param to where the greatest does */
export function logScale(values: readonly number[], from: number, to: number): LogScale {
  const exponents = values.map(Math.log10);
  const least = Math.floor(Math.min(...exponents));
  const most = Math.max(least + 1, Math.ceil(Math.max(...exponents)));
  return {
    ticks: Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i)),
    at: (value) => from + ((Math.log10(value) - least) / (most - least)) * (to - from),
  };
}

/** Moves places apart until each is at least `gap` from the next, in their order, and none is past `end` where they fit. */
export function apart(wanted: readonly number[], gap: number, end: number): number[] {
  const order = wanted.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let previous = Number.NEGATIVE_INFINITY;
  for (const item of order) {
    item.place = Math.max(item.place, previous + gap);
    previous = item.place;
  }
  let next = end + gap;
  for (const item of order.toReversed()) {
    item.place = Math.min(item.place, next - gap);
    next = item.place;
  }
  return order.toSorted((a, b) => a.index - b.index).map(({ place }) => place);
}
