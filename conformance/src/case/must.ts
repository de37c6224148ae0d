import type { LeaseStore } from 'mempool-election';
import type { Ledger } from 'mempool-ledger';
import type { CaseContext, ConformanceCase, Need } from './case.ts';

/** Makes a case that every backend must pass. Its rule is the part of `id` before the slash. */
export function must(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return { id, level: 'MUST', rule: id.slice(0, id.indexOf('/')), title, since: '0.1.0', needs, run };
}

type OnStore<Store> = (store: Store, context: CaseContext) => Promise<void>;

/** The context with a pool and an election of its own, for one row of a table. */
export function apart(context: CaseContext): CaseContext {
  const pool = context.newPool();
  return {
    ...context,
    pool,
    open: (options) => context.openNamed(pool, options),
    leases: (options) => context.leases({ pool, ...options }),
  };
}

/** Goes through the rows of a table. A failure names its row. */
export async function eachRow<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  run: (row: Row) => Promise<void>,
): Promise<void> {
  for (const row of rows)
    await run(row).catch((error: unknown) => {
      if (error instanceof Error) error.message = `${nameOf(row)}: ${error.message}`;
      throw error;
    });
}

/** The stages in which a transaction waits for the block that carries it. */
export const flyingStages = ['Propagated', 'Acknowledged'] as const;
export type FlyingStage = (typeof flyingStages)[number];

/** A case about a transaction that waits for a block: run in each such stage, each on a pool of its own. */
export function mustInFlight(
  id: string,
  title: string,
  run: (context: CaseContext, stage: FlyingStage) => Promise<void>,
  needs: readonly Need[] = [],
): ConformanceCase {
  const inEach = async (context: CaseContext): Promise<void> => {
    await eachRow(flyingStages, String, (stage) => run(apart(context), stage));
  };
  return must(id, title, inEach, needs);
}

/** Makes a case about an election, with further `needs`. */
export function mustElect(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return must(id, title, run, ['election', ...needs]);
}

/** A case about one node's leases of an election. */
function onElection(id: string, title: string, run: OnStore<LeaseStore>, needs: readonly Need[] = []): ConformanceCase {
  return mustElect(id, title, async (context) => run(await context.leases(), context), needs);
}

/** Makes a case about a ledger, with further `needs`. */
export function mustLedger(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return must(id, title, run, ['ledger', ...needs]);
}

/** A case about a ledger that is open when the case begins. */
function onLedger(id: string, title: string, run: OnStore<Ledger>): ConformanceCase {
  return mustLedger(id, title, async (context) => run(await context.ledger(), context));
}

/** Makes a case about a pool and the lease that guards it. */
export function mustFence(id: string, title: string, run: ConformanceCase['run']): ConformanceCase {
  return mustElect(id, title, run, ['lease']);
}

/** Makes a case about priority pools, with further `needs`. */
export function mustRank(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return must(id, title, run, ['priority', ...needs]);
}

/** Makes a case about the optional verbs of a fifo pool (P18). */
export function mustFifo(id: string, title: string, run: ConformanceCase['run']): ConformanceCase {
  return must(id, title, run, ['arrival-verbs']);
}

/** Returns a function that adds needs to a case. */
export function needing(...more: readonly Need[]): (one: ConformanceCase) => ConformanceCase {
  return (one) => ({ ...one, needs: [...(one.needs ?? []), ...more] });
}

/** Marks cases as cases of core's boundary, except those named in `samples`: these run on every backend. */
export function ofBoundary(cases: readonly ConformanceCase[], samples: readonly string[]): ConformanceCase[] {
  const unknown = samples.find((sample) => cases.every(({ id }) => id !== sample));
  if (unknown !== undefined) throw new RangeError(`${unknown} is none of these cases`);
  return cases.map((one) => (samples.includes(one.id) ? one : { ...one, boundary: true }));
}

/** A function that makes cases from a table. Each key is an id, a colon and a title. */
export type EachOf<Run> = (cases: Readonly<Record<`${string}/${string}: ${string}`, Run>>) => ConformanceCase[];

export function eachOf<Run>(make: (id: string, title: string, run: Run) => ConformanceCase): EachOf<Run> {
  return (cases) =>
    Object.entries<Run>(cases).map(([sentence, run]) => {
      const colon = sentence.indexOf(': ');
      return make(sentence.slice(0, colon), sentence.slice(colon + 2), run);
    });
}

export const mustEach: EachOf<ConformanceCase['run']> = eachOf(must);
export const eachInFlight: EachOf<(context: CaseContext, stage: FlyingStage) => Promise<void>> = eachOf(mustInFlight);
export const eachElect: EachOf<ConformanceCase['run']> = eachOf(mustElect);
export const eachOnElection: EachOf<OnStore<LeaseStore>> = eachOf(onElection);
export const eachLedger: EachOf<ConformanceCase['run']> = eachOf(mustLedger);
export const eachOnLedger: EachOf<OnStore<Ledger>> = eachOf(onLedger);
export const eachRanked: EachOf<ConformanceCase['run']> = eachOf(mustRank);
export const eachFifo: EachOf<ConformanceCase['run']> = eachOf(mustFifo);
