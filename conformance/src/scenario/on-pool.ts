import type { OpenOptions } from 'mempool-core';
import type { CaseContext, ConformanceCase, Need } from '../case/case.ts';
import { type EachOf, eachOf, type FlyingStage, must, mustInFlight } from '../case/must.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { Pool } from './pool.ts';

/** Opens the case's pool, or another node on it. */
export async function openPool(context: CaseContext, options?: OpenOptions): Promise<Pool> {
  return new Pool(context, await context.open(options));
}

/** Opens another, unrelated pool. */
export async function openOther(context: CaseContext, options?: OpenOptions): Promise<Pool> {
  return new Pool(context, await context.openOther(options));
}

/** Opens the pool of that name. */
export async function openNamed(context: CaseContext, name: string): Promise<Pool> {
  return new Pool(context, await context.openNamed(name));
}

/** A time in 2026 at which the clock of every timed pool begins. */
export const startMs = 1_780_000_000_000;

export interface CaseClock {
  nowMs: number;
}

/** Opens the case's pool, with a clock that only the case moves. */
export async function openTimed(
  context: CaseContext,
  options: OpenOptions = {},
  clock: CaseClock = { nowMs: startMs },
): Promise<TimedPool> {
  return new TimedPool(context, await context.open({ now: () => clock.nowMs, ...options }), clock);
}

/** A pool with a clock that only the case moves. */
export class TimedPool extends Pool {
  readonly clock: CaseClock;

  constructor(context: CaseContext, store: TestedPool, clock: CaseClock) {
    super(context, store);
    this.clock = clock;
  }

  /** Another node on the same pool, or the same pool again. */
  another(options: OpenOptions = {}): Promise<TimedPool> {
    return openTimed(this.context, options, this.clock);
  }
}

type OnPool = (pool: Pool, store: TestedPool) => Promise<void>;

/** Makes a case on one pool that is open when the case begins. It gets the pool's store too. */
export function onPool(id: string, title: string, run: OnPool, needs: readonly Need[] = []): ConformanceCase {
  const opened: ConformanceCase['run'] = async (context) => {
    const pool = await openPool(context);
    await run(pool, pool.store);
  };
  return must(id, title, opened, needs);
}

/** Does the same for the optional verbs of a fifo pool (P18). */
function onFifoPool(id: string, title: string, run: OnPool): ConformanceCase {
  return onPool(id, title, run, ['arrival-verbs']);
}

type OnPoolInFlight = (pool: Pool, stage: FlyingStage, store: TestedPool) => Promise<void>;

/** A case about a transaction that waits for a block, with each pool open when the case begins. */
function onPoolInFlight(id: string, title: string, run: OnPoolInFlight): ConformanceCase {
  return mustInFlight(id, title, async (context, stage) => {
    const pool = await openPool(context);
    await run(pool, stage, pool.store);
  });
}

export const eachOnPool: EachOf<OnPool> = eachOf(onPool);
export const eachOnFifoPool: EachOf<OnPool> = eachOf(onFifoPool);
export const eachOnPoolInFlight: EachOf<OnPoolInFlight> = eachOf(onPoolInFlight);
