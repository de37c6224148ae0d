import { type Spread, spreadOf } from '../report/spread.ts';
import { type Clock, wallClock } from './clock.ts';
import { isSettled } from './pace.ts';
import { type PassOf, shareOf } from './pass.ts';

/** One figure and the goal it is held against. */
export interface Measure {
  readonly backend: string;
  readonly title: string;
  readonly goal: { readonly kind: 'at least' | 'at most'; readonly value: number };
  /** Unit of the figure: `×` for ratios. */
  readonly unit: '×' | 'bytes' | 'ms' | 'events/s' | 'missed';
  /** At least 7 where a round is short, in all passes together; the median counts. What is no ratio has them all in the first. */
  readonly rounds: number;
  /** As many at the most, until they are settled; default: no more than `rounds`. */
  readonly mostRounds?: number;
  /** Rounds before them that do not count, until the code is compiled; default 1. */
  readonly warmups?: number;
  prepare?(): Promise<void>;
  /** One round: limit and subject in turn, in an order that changes with the round. */
  sample(round: number): Promise<number>;
  end?(): Promise<void>;
}

/** What the rounds of a measure gave in one pass. */
export interface Sampled extends Pick<Measure, 'backend' | 'title' | 'goal' | 'unit'> {
  readonly values: readonly number[];
}

/** What a measure gave, as it is stored. */
export interface Figure {
  readonly backend: string;
  readonly title: string;
  readonly goal: Measure['goal'];
  readonly unit: Measure['unit'];
  readonly value: Spread;
  readonly met: boolean;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown> | unknown, clock: Clock = wallClock): Promise<number> {
  globalThis.gc?.();
  const start = clock();
  await work();
  return clock() - start;
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

const onlyPass: PassOf = { index: 0, count: 1 };

/** Rounds of a measure in one pass, its own number or the one asked for, and how many it may have at the most. */
function roundsOf({ rounds, mostRounds, unit }: Measure, asked: number | undefined, pass: PassOf): [number, number] {
  const total = asked ?? rounds;
  const most = asked ?? mostRounds ?? rounds;
  if (unit === '×') return [shareOf(total, pass), shareOf(most, pass)];
  return pass.index === 0 ? [total, most] : [0, 0];
}

/** Takes a pass's rounds of a measure, after those that are thrown away; a single one has none. */
export async function take(measure: Measure, asked?: number, pass: PassOf = onlyPass): Promise<Sampled> {
  const [rounds, most] = roundsOf(measure, asked, pass);
  const { backend, title, goal, unit } = measure;
  const values: number[] = [];
  if (most === 0) return { backend, title, goal, unit, values };
  try {
    await measure.prepare?.();
    const warmups = (asked ?? measure.rounds) > 1 ? (measure.warmups ?? 1) : 0;
    for (let round = 0; round < warmups; round++) await measure.sample(round);
    for (let round = 0; round < rounds || (round < most && !isSettled(values)); round++)
      values.push(await measure.sample(round));
  } finally {
    await measure.end?.();
  }
  return { backend, title, goal, unit, values };
}

/** The rounds of all passes count alike. */
export function figureOf({ backend, title, goal, unit, values }: Sampled): Figure {
  const value = spreadOf(values);
  return { backend, title, goal, unit, value, met: meets(value.median, goal) };
}

export function meets(value: number, goal: Measure['goal']): boolean {
  return goal.kind === 'at least' ? value >= goal.value : value <= goal.value;
}
