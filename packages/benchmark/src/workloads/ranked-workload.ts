import type { BareIndex } from '../limits/index.ts';
import type { Measure } from '../runner/measure.ts';
import type { FilledRanking } from './filled-ranking.ts';
import type { FilledPool } from './pool.ts';
import type { RankedPool } from './ranked-pool.ts';
import type { BarePool, Per, Turn } from './workload.ts';

/** A bare structure with as much in it, and an index with as many entries. */
interface RankedBare extends BarePool {
  readonly index: BareIndex;
}

/** Everything that is filled with the same number of transactions. */
export interface RankedPools {
  readonly ranked: RankedPool;
  /** A pool in order of arrival. */
  readonly arrivals: FilledPool;
  readonly bare: RankedBare;
  readonly rankings: readonly FilledRanking[];
}

/** What a workload is held against beside the limit, in the same turns. */
export interface Beside {
  readonly name: string;
  turn(pools: RankedPools): Promise<Turn> | Turn;
}

/** How ours must compare to one that it is held against, by name: ours ÷ that one. */
interface RankedGoal {
  readonly against: string;
  /** By backend: those of others have no goal. */
  readonly goals: Readonly<Record<string, Measure['goal']>>;
}

interface Common {
  readonly id: `ranked-${string}`;
  readonly title: string;
  readonly per: Per;
  readonly beside?: Beside;
  readonly goal?: RankedGoal;
  ours(pool: RankedPool): Promise<Turn> | Turn;
}

/** Held against the backend's first limit, with an index beside it. */
interface LimitedWorkload extends Common {
  /** Of the limit; default: the backend's own name for it. */
  readonly limitName?: string;
  limit(pool: RankedBare): Promise<Turn> | Turn;
}

/** Held against each bare ranking of the backend: what evicts must know the worst. */
interface EvictingWorkload extends Common {
  ranking(pool: FilledRanking): Turn;
}

/** A workload of a pool by priority. Whatever it does to the pool is undone, but for evictions. */
export type RankedWorkload = LimitedWorkload | EvictingWorkload;
