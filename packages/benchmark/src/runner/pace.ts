import type { Place } from '../setup/context.ts';
import { type Asked, shareOf } from '../setup/context.ts';
import type { Given } from '../workloads/pools.ts';

/** How long the participants of a row take turns. */
export interface Pace {
  /** Measured time of each in the warm-up, until its code is compiled. */
  readonly warmMs: number;
  /** The longest warm-up, preparations included. */
  readonly longestWarmMs: number;
  /** Measured time of a turn at the least, so that it bears its share of the garbage collections. */
  readonly turnMs: number;
  /** Measured time at its beginning that does not count: others have had the caches. */
  readonly coldMs: number;
  /** The longest turn, preparations included. */
  readonly longestTurnMs: number;
  readonly rounds: number;
}

/** Collections and compiled code decide; both need time to level out. */
const heap: Pace = { warmMs: 70, longestWarmMs: 400, turnMs: 25, coldMs: 5, longestTurnMs: 80, rounds: 9 };
/** A server does most of the work: slower, and steadier. */
const server: Pace = { ...heap, warmMs: 60 };
/** So does a disk, whose single syncs differ. */
const file: Pace = { ...server, longestWarmMs: 300, turnMs: 50, longestTurnMs: 160 };

/**
 * A call of a priority pool is planned in this process, by much more code, half of which is compiled only after thousands of
 * transactions: beside a server, on the processor that it needs.
 */
const planned: Pick<Pace, 'warmMs' | 'longestWarmMs'> = { warmMs: 300, longestWarmMs: 2_500 };

const paces: Readonly<Record<Place, Pace>> = { heap, file, server };

/** The pace of one pass. A single round is a quick look: every turn once, without a warm-up. */
export function paceOf(place: Place, { rounds, pass }: Pick<Asked, 'rounds' | 'pass'>, given?: Given): Pace {
  const own = given === 'priority' && place !== 'file' ? { ...paces[place], ...planned } : paces[place];
  const pace = { ...own, rounds: shareOf(rounds ?? own.rounds, pass) };
  return rounds === 1 ? { ...pace, warmMs: 0, turnMs: 0, coldMs: 0 } : pace;
}
