import type { Place } from '../backends/place.ts';
import { quotients, spreadOf } from '../report/spread.ts';
import { type PassOf, shareOf } from './pass.ts';

/** How long the participants of a row take turns. */
export interface Pace {
  /** Measured time of each in the warm-up, before anything counts: until its code is compiled. */
  readonly warmMs: number;
  /** All of that, preparations included, at the most. */
  readonly longestWarmMs: number;
  /** Measured time of a turn at the least, so that it bears its share of the garbage collections. */
  readonly turnMs: number;
  /** Measured time at its beginning that does not count: others have had the caches. */
  readonly coldMs: number;
  /** What is not done by then, preparations included, ends the turn. */
  readonly longestTurnMs: number;
  readonly leastRounds: number;
  readonly mostRounds: number;
  /** Once there are enough rounds, none begins later than this. */
  readonly rowMs: number;
}

/** Collections decide, and code until it is compiled; both need time to level out. */
const inHeap: Pace = {
  warmMs: 70,
  longestWarmMs: 400,
  turnMs: 25,
  coldMs: 5,
  longestTurnMs: 80,
  leastRounds: 7,
  mostRounds: 21,
  rowMs: 2_500,
};

/** A server has most of the work: dearer, and steadier. */
const onServer: Pace = { ...inHeap, warmMs: 60, rowMs: 2_000 };

/** So has a disk, whose single syncs differ. */
const inFile: Pace = { ...onServer, longestWarmMs: 300, turnMs: 50, longestTurnMs: 160 };

const paces: Readonly<Record<Place, Pace>> = { heap: inHeap, file: inFile, server: onServer };

/** How many rounds, and in which share of them. */
interface Asked {
  /** As many as were asked for, one of them with every turn once; without it as many as the spread needs. */
  readonly rounds: number | undefined;
  readonly pass: PassOf;
}

/** The pace of one pass. */
export function paceOf(place: Place, { rounds, pass }: Asked): Pace {
  const pace = paces[place];
  const shared = {
    ...pace,
    leastRounds: shareOf(rounds ?? pace.leastRounds, pass),
    mostRounds: shareOf(rounds ?? pace.mostRounds, pass),
    rowMs: pace.rowMs / pass.count,
  };
  return rounds === 1 ? { ...shared, warmMs: 0, turnMs: 0, coldMs: 0 } : shared;
}

/** A median that would move by this share of itself from run to run is good enough: the check allows for 0.15. */
const goodEnough = 0.025;

/** The standard error of a median, estimated from the middle half of its rounds, is small beside it. */
export function isSettled(values: readonly number[]): boolean {
  const { median, lower, upper, rounds } = spreadOf(values);
  return (0.93 * (upper - lower)) / Math.sqrt(rounds) <= goodEnough * median;
}

/** The same of the ratio of two. */
export function areSettled(dividends: readonly number[], divisors: readonly number[]): boolean {
  return isSettled(quotients(dividends, divisors));
}
