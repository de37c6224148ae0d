import type { BenchBackend } from '../backends/backend.ts';
import type { Costs, RowHead, Series } from '../report/row.ts';
import type { Turn } from '../workloads/workload.ts';
import { type Clock, clockOf } from './clock.ts';
import { collectGrowth } from './collection.ts';
import type { BenchContext } from './context.ts';
import { areSettled, type Pace, paceOf } from './pace.ts';
import { type CostsByName, type Participant, type Turned, takeTurns } from './turns.ts';
import { WriteAheadLogs } from './write-ahead-logs.ts';

type Prepare = () => Promise<Turn> | Turn;

/** One that takes turns with the measured one. */
export interface Rival {
  readonly name: string;
  readonly prepare: Prepare;
}

/** Who takes turns with one `n` stored: the measured one, and what it is held against. */
export interface Contest {
  readonly n: number;
  readonly ours: Prepare;
  /** Flatness divides out the growth of the first. */
  readonly rivals: readonly Rival[];
}

interface Timing {
  readonly pace: Pace;
  readonly clock: Clock;
  readonly logs: WriteAheadLogs | null;
}

/** Lets all of a workload take turns, at every n in every round. */
export async function contestSeries(
  head: RowHead,
  contests: readonly Contest[],
  { place, logs: folder }: Pick<BenchBackend, 'place' | 'logs'>,
  context: BenchContext,
): Promise<Series> {
  console.error(`${head.backend}: ${head.title}`);
  const pace = paceOf(place, context);
  const logs = folder === undefined ? null : new WriteAheadLogs(folder);
  const timing = { pace, clock: clockOf(place), logs };
  const all = contests.flatMap((contest) => participants(contest, timing));
  try {
    const costs = await takeTurns(all, pace, (soFar) => areAllSettled(costsOf(contests, soFar)));
    return { head, costs: costsOf(contests, costs) };
  } finally {
    logs?.close();
  }
}

function areAllSettled(costs: readonly Costs[]): boolean {
  return costs.every(({ ours, limits }) => [...limits.values()].every((limit) => areSettled(limit, ours)));
}

function costsOf(contests: readonly Contest[], costs: CostsByName): Costs[] {
  const of = (key: string): readonly number[] => costs.get(key) ?? [];
  return contests.map(({ n, rivals }) => ({
    n,
    ours: of(`${n}`),
    limits: new Map(rivals.map(({ name }) => [name, of(`${n} ${name}`)])),
  }));
}

function participants({ n, ours, rivals }: Contest, timing: Timing): Participant[] {
  const others = rivals.map(({ name, prepare }) => ({ name: `${n} ${name}`, turn: () => turned(prepare, timing) }));
  return [{ name: `${n}`, turn: () => turned(ours, timing) }, ...others];
}

/** What is over too soon is done again and again; what is long enough alone counts from the first time on. */
async function turned(prepare: Prepare, { pace, clock, logs }: Timing): Promise<Turned> {
  const until = performance.now() + pace.longestTurnMs;
  let [coldMs, measuredMs, count] = [0, 0, 0];
  do {
    const [milliseconds, units] = await once(prepare, clock, logs);
    if (coldMs < pace.coldMs && milliseconds < pace.turnMs) coldMs += milliseconds;
    else {
      measuredMs += milliseconds;
      count += units;
    }
  } while (count === 0 || (measuredMs < pace.turnMs && performance.now() < until));
  return { cost: (measuredMs * 1_000) / count, measuredMs: coldMs + measuredMs };
}

/** Milliseconds, and the units done in them. */
async function once(prepare: Prepare, clock: Clock, logs: WriteAheadLogs | null): Promise<[number, number]> {
  const turn = await prepare();
  await collectGrowth();
  logs?.settle();
  const start = clock();
  await turn.run();
  const milliseconds = clock() - start + (logs?.writeBack(clock) ?? 0);
  await turn.undo?.();
  return [milliseconds, turn.count];
}
