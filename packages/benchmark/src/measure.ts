/** One figure and the goal it is held against. */
export interface Measure {
  readonly backend: string;
  readonly title: string;
  readonly goal: { readonly kind: 'at least' | 'at most'; readonly value: number };
  /** Unit of the figure: `×` for ratios. */
  readonly unit: '×' | 'bytes' | 'ms' | 'events/s' | 'missed';
  /** At least 7 where a round is short; the median counts. */
  readonly rounds: number;
  /** Rounds before them that do not count, until the code is compiled; default 1. */
  readonly warmups?: number;
  prepare?(): Promise<void>;
  /** One round: limit and subject in turn, in an order that changes with the round. */
  sample(round: number): Promise<number>;
  end?(): Promise<void>;
}

export interface Figure {
  readonly measure: Measure;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly met: boolean;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  globalThis.gc?.();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs both in an order that changes with the round; milliseconds of each. */
export async function inTurn(
  round: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<[number, number]> {
  if (round % 2 === 0) return [await first(), await second()];
  const late = await second();
  return [await first(), late];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Takes all rounds of a measure, after those that are thrown away; a single long round has none. */
export async function take(measure: Measure): Promise<Figure> {
  await measure.prepare?.();
  const values: number[] = [];
  try {
    const warmups = measure.rounds > 1 ? (measure.warmups ?? 1) : 0;
    for (let round = 0; round < warmups; round++) await measure.sample(round);
    for (let round = 0; round < measure.rounds; round++) values.push(await measure.sample(round));
  } finally {
    await measure.end?.();
  }
  const figure = median(values);
  const { kind, value } = measure.goal;
  const met = kind === 'at least' ? figure >= value : figure <= value;
  return { measure, median: figure, least: Math.min(...values), most: Math.max(...values), met };
}
