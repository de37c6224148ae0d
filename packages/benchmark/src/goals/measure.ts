import { type Figure, type FigureHead, figureIn, type Goal } from '../report/figure.ts';
import { spreadOf } from '../report/spread.ts';
import { type Asked, shareOf } from '../setup/context.ts';

/** How a figure with a goal is measured. */
export interface Measure extends FigureHead {
  /** Of all passes together; the median counts. A figure that is no ratio has them all in the first pass. */
  readonly rounds: number;
  /** Rounds before them that do not count, until the code is compiled; default 1. */
  readonly warmups?: number;
  prepare?(): Promise<void>;
  /** One round: limit and subject in turn, in an order that changes with the round. */
  sample(round: number): Promise<number>;
  end?(): Promise<void>;
}

/** The rounds of a measure in one pass. */
export interface Sampled extends FigureHead {
  readonly values: readonly number[];
}

/** The head of a measure; its goal as in `['at most', 2]`. */
export function head(
  { name: backend }: { readonly name: string },
  title: string,
  [kind, value]: readonly [Goal['kind'], number],
  unit: Measure['unit'],
  rounds: number,
) {
  return { backend, title, goal: { kind, value }, unit, rounds };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  globalThis.gc?.();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

type Run = () => Promise<number>;

/** Runs both in an order that changes with the round. @returns the first's milliseconds ÷ the second's */
export async function inTurn(round: number, first: Run, second: Run): Promise<number> {
  if (round % 2 === 0) return (await first()) / (await second());
  const late = await second();
  return (await first()) / late;
}

/** Takes a pass's rounds of a measure, after those that are thrown away; a single one has none. */
export async function take(
  measure: Measure,
  { rounds: asked, pass }: Pick<Asked, 'rounds' | 'pass'>,
): Promise<Sampled> {
  const { backend, title, goal, unit } = measure;
  const values: number[] = [];
  const total = asked ?? measure.rounds;
  const first = pass.index === 0 ? total : 0;
  const rounds = unit === '×' ? shareOf(total, pass) : first;
  if (rounds === 0) return { backend, title, goal, unit, values };
  try {
    await measure.prepare?.();
    const warmups = total > 1 ? (measure.warmups ?? 1) : 0;
    for (let round = 0; round < warmups; round++) await measure.sample(round);
    for (let round = 0; round < rounds; round++) values.push(await measure.sample(round));
  } finally {
    await measure.end?.();
  }
  return { backend, title, goal, unit, values };
}

/** The rounds of all passes count alike. */
export function figureOf(sampled: Sampled): Figure {
  return figureIn(sampled, spreadOf(sampled.values));
}
