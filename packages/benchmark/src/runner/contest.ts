import type { RowHead, Series } from '../report/row.ts';
import { type Clock, clockOf } from '../setup/clock.ts';
import type { Asked, Place } from '../setup/context.ts';
import type { Given } from '../workloads/pools.ts';
import type { Prepare, Rival } from '../workloads/workload.ts';
import { collectAtOnce, collectGrowth, collectYoung } from './memory.ts';
import { type Pace, paceOf } from './pace.ts';

/** The measured pool with `n` stored, and its rivals. */
export interface Contest {
  readonly n: number;
  readonly ours: Prepare;
  /** Flatness divides out the growth of the first. */
  readonly rivals: readonly Rival[];
}

/** A turn's cost in µs a unit, and the time that was measured for it. */
interface Turned {
  readonly cost: number;
  readonly measuredMs: number;
}

/** Takes a turn in every round. */
interface Participant {
  readonly name: string;
  turn(): Promise<Turned>;
}

/** By name, the cost in each round that counts. */
type CostsByName = ReadonlyMap<string, readonly number[]>;

interface Timing {
  readonly pace: Pace;
  readonly clock: Clock;
}

/** Lets all participants of a workload take turns, at every n in every round. */
export async function contestSeries(
  head: RowHead,
  contests: readonly Contest[],
  { place, given }: { readonly place: Place; readonly given: Given },
  asked: Pick<Asked, 'rounds' | 'pass'>,
): Promise<Series> {
  console.error(`${head.backend}: ${head.title}`);
  const timing = { pace: paceOf(place, asked, given), clock: clockOf(place) };
  const all = contests.flatMap(({ n, ours, rivals }): Participant[] => [
    { name: `${n}`, turn: () => turned(ours, timing) },
    ...rivals.map(({ name, prepare }) => ({ name: `${n} ${name}`, turn: () => turned(prepare, timing) })),
  ]);
  const costs = await takeTurns(all, timing.pace);
  const of = (key: string): readonly number[] => costs.get(key) ?? [];
  const limits = ({ n, rivals }: Contest) => new Map(rivals.map(({ name }) => [name, of(`${n} ${name}`)]));
  return { head, costs: contests.map((one) => ({ n: one.n, ours: of(`${one.n}`), limits: limits(one) })) };
}

/** Repeats work that ends too soon; work that lasts long enough alone counts from its first time on. */
async function turned(prepare: Prepare, { pace, clock }: Timing): Promise<Turned> {
  const until = performance.now() + pace.longestTurnMs;
  let [coldMs, measuredMs, count] = [0, 0, 0];
  do {
    const turn = await prepare();
    await collectGrowth();
    const start = clock();
    await turn.run();
    const milliseconds = clock() - start;
    await turn.undo?.();
    if (coldMs < pace.coldMs && milliseconds < pace.turnMs) coldMs += milliseconds;
    else {
      measuredMs += milliseconds;
      count += turn.count;
    }
  } while (count === 0 || (measuredMs < pace.turnMs && performance.now() < until));
  return { cost: (measuredMs * 1_000) / count, measuredMs: coldMs + measuredMs };
}

/**
 * Lets all participants take turns, round after round. Each round begins with another of them, and every second one goes
 * backwards, so that none always follows the same neighbour.
 */
async function takeTurns(participants: readonly Participant[], pace: Pace): Promise<CostsByName> {
  const costs = new Map(participants.map(({ name }): [string, number[]] => [name, []]));
  collectAtOnce();
  await warmUp(participants, pace);
  for (let round = 0; round < pace.rounds; round++) {
    await collectGrowth();
    for (const participant of rotated(participants, round)) {
      collectYoung();
      costs.get(participant.name)?.push((await participant.turn()).cost);
    }
  }
  return costs;
}

/** Turns that do not count, until each participant was measured for long enough. */
async function warmUp(participants: readonly Participant[], { warmMs, longestWarmMs }: Pace): Promise<void> {
  const until = performance.now() + longestWarmMs;
  let cold = warmMs === 0 ? [] : participants.map((participant) => ({ participant, measuredMs: 0 }));
  for (let round = 0; cold.length > 0 && (round === 0 || performance.now() < until); round++) {
    for (const one of cold) {
      collectYoung();
      one.measuredMs += (await one.participant.turn()).measuredMs;
    }
    cold = cold.filter(({ measuredMs }) => measuredMs < warmMs);
  }
}

/** The order of a round: from its own beginning on, forwards or backwards. */
export function rotated<T>(items: readonly T[], round: number): T[] {
  const order = round % 2 === 0 ? [...items] : items.toReversed();
  const first = round % Math.max(1, items.length);
  const place = round % 2 === 0 ? first : items.length - 1 - first;
  return [...order.slice(place), ...order.slice(0, place)];
}
