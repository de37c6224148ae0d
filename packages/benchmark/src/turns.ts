/** Takes a turn in every round. */
export interface Participant {
  readonly name: string;
  /** One measured turn: its cost, in whatever unit all participants share. */
  turn(round: number): Promise<number>;
}

/**
 * Lets all participants take turns, round after round: each round begins with another of them, and every second one goes
 * backwards, so that none always follows the same neighbour. @returns by name, the cost in each round that counts
 */
export async function takeTurns(
  participants: readonly Participant[],
  rounds: number,
  warmups: number,
): Promise<Map<string, number[]>> {
  const costs = new Map(participants.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    globalThis.gc?.();
    for (const participant of rotated(participants, round + warmups)) {
      const cost = await participant.turn(round + warmups);
      if (round >= 0) costs.get(participant.name)?.push(cost);
    }
  }
  return costs;
}

/** The order of a round: from its own beginning on, forwards or backwards. */
export function rotated<T>(items: readonly T[], round: number): T[] {
  const order = round % 2 === 0 ? [...items] : items.toReversed();
  const first = round % Math.max(1, items.length);
  const place = round % 2 === 0 ? first : items.length - 1 - first;
  return [...order.slice(place), ...order.slice(0, place)];
}
