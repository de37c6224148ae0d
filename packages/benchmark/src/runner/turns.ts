import { collectAtOnce, collectGrowth, collectYoung } from './collection.ts';
import type { Pace } from './pace.ts';

/** What a turn gave. */
export interface Turned {
  /** In whatever unit all participants share. */
  readonly cost: number;
  /** Time that was measured for it. */
  readonly measuredMs: number;
}

/** Takes a turn in every round. */
export interface Participant {
  readonly name: string;
  turn(round: number): Promise<Turned>;
}

/** By name, the cost in each round that counts. */
export type CostsByName = ReadonlyMap<string, readonly number[]>;

/**
 * Lets all participants take turns, round after round: each round begins with another of them, and every second one goes
 * backwards, so that none always follows the same neighbour. It ends when the costs are settled or the time is up.
 */
export async function takeTurns(
  participants: readonly Participant[],
  pace: Pace,
  areSettled: (costs: CostsByName) => boolean = () => false,
): Promise<CostsByName> {
  const costs = new Map(participants.map(({ name }): [string, number[]] => [name, []]));
  collectAtOnce();
  await warmUp(participants, pace);
  const until = performance.now() + pace.rowMs;
  const goesOn = (round: number): boolean =>
    round < pace.leastRounds || (round < pace.mostRounds && performance.now() < until && !areSettled(costs));
  for (let round = 0; goesOn(round); round++) {
    await collectGrowth();
    for (const participant of rotated(participants, round)) {
      const { cost } = await turn(participant, round);
      costs.get(participant.name)?.push(cost);
    }
  }
  return costs;
}

/** Turns that do not count, until each has had its time. */
async function warmUp(participants: readonly Participant[], { warmMs, longestWarmMs }: Pace): Promise<void> {
  const until = performance.now() + longestWarmMs;
  if (warmMs === 0) return;
  let cold = participants.map((participant) => ({ participant, measuredMs: 0 }));
  for (let round = 0; cold.length > 0 && (round === 0 || performance.now() < until); round++) {
    for (const one of cold) one.measuredMs += (await turn(one.participant, round)).measuredMs;
    cold = cold.filter(({ measuredMs }) => measuredMs < warmMs);
  }
}

function turn(participant: Participant, round: number): Promise<Turned> {
  collectYoung();
  return participant.turn(round);
}

/** The order of a round: from its own beginning on, forwards or backwards. */
export function rotated<T>(items: readonly T[], round: number): T[] {
  const order = round % 2 === 0 ? [...items] : items.toReversed();
  const first = round % Math.max(1, items.length);
  const place = round % 2 === 0 ? first : items.length - 1 - first;
  return [...order.slice(place), ...order.slice(0, place)];
}
