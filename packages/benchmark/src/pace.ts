import { quotients, spreadOf } from './spread.ts';

/** How long the participants of a row take turns. */
export interface Pace {
  /** Measured time of each before anything counts: until its code is compiled. */
  readonly warmMs: number;
  /** All of that, preparations included, at the most. */
  readonly longestWarmMs: number;
  /** Measured time of a turn at the least, so that it bears its share of the garbage collections. */
  readonly turnMs: number;
  /** What is not done by then, preparations included, ends the turn. */
  readonly longestTurnMs: number;
  readonly leastRounds: number;
  readonly mostRounds: number;
  /** Once there are enough rounds, none begins later than this. */
  readonly rowMs: number;
}

const usual: Pace = {
  warmMs: 150,
  longestWarmMs: 1_500,
  turnMs: 25,
  longestTurnMs: 125,
  leastRounds: 7,
  mostRounds: 21,
  rowMs: 4_000,
};

/** Every turn once, for tests and to see that all works. */
const glance: Pace = { ...usual, warmMs: 0, turnMs: 0, leastRounds: 1, mostRounds: 1 };

/** @param rounds as many as were asked for; without it as many as the spread needs */
export function paceOf(rounds: number | undefined): Pace {
  if (rounds === undefined) return usual;
  return rounds === 1 ? glance : { ...usual, leastRounds: rounds, mostRounds: rounds };
}

/** A median that would move by this share of itself from run to run is good enough: the check allows for 0.15. */
const goodEnough = 0.02;

/** The standard error of a median, estimated from the middle half of its rounds, is small beside it. */
export function isSettled(values: readonly number[]): boolean {
  const { median, lower, upper, rounds } = spreadOf(values);
  return (0.93 * (upper - lower)) / Math.sqrt(rounds) <= goodEnough * median;
}

/** The same of the ratio of two. */
export function areSettled(dividends: readonly number[], divisors: readonly number[]): boolean {
  return isSettled(quotients(dividends, divisors));
}
