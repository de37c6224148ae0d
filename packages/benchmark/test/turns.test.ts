import { describe, expect, test } from 'vitest';
import type { Pace } from '../src/runner/pace.ts';
import { type CostsByName, rotated, takeTurns } from '../src/runner/turns.ts';

const names = ['a', 'b', 'c'] as const;

const longMs = 60_000;
/** Three rounds and no warm-up, unless a test says otherwise. */
const pace: Pace = {
  warmMs: 0,
  longestWarmMs: longMs,
  turnMs: 0,
  coldMs: 0,
  longestTurnMs: longMs,
  leastRounds: 3,
  mostRounds: 3,
  rowMs: longMs,
};

/** Each turn costs as much as turns came before it, all participants counted. */
async function played(given: Partial<Pace>, areSettled?: (costs: CostsByName) => boolean) {
  const order: string[] = [];
  const participants = names.map((name) => ({
    name,
    turn: async () => ({ cost: order.push(name) - 1, measuredMs: 10 }),
  }));
  return { costs: await takeTurns(participants, { ...pace, ...given }, areSettled), order };
}

describe('turns', () => {
  test('come to every participant once in every round', async () => {
    const { order } = await played({ leastRounds: 6, mostRounds: 6 });
    for (let round = 0; round < 6; round++)
      expect(new Set(order.slice(round * 3, round * 3 + 3))).toEqual(new Set(names));
  });

  test.each([2, 3, 4, 5])('begin with another of %d participants each round', (count) => {
    const participants = Array.from({ length: count }, (_, i) => i);
    const firsts = participants.map((round) => rotated(participants, round)[0]);
    expect(new Set(firsts)).toEqual(new Set(participants));
  });

  test('give no participant the same one before it in every round', () => {
    const before = Array.from({ length: 6 }, (_, round) => {
      const order = rotated(names, round);
      return order[order.indexOf('b') - 1];
    });
    expect(new Set(before)).toEqual(new Set(['a', 'c', undefined]));
  });

  test('of the warm-up do not count', async () => {
    const { costs, order } = await played({ leastRounds: 1, mostRounds: 1, warmMs: 25 });
    const counted = [...costs.values()].flat();
    expect(counted.toSorted((a, b) => a - b)).toEqual([order.length - 3, order.length - 2, order.length - 1]);
  });

  test('of the warm-up go on until each participant was measured for long enough', async () => {
    const { order } = await played({ leastRounds: 1, mostRounds: 1, warmMs: 25 });
    // Three of 10 ms each, and the one that counts.
    expect(names.map((name) => order.filter((other) => other === name).length)).toEqual([4, 4, 4]);
  });

  test('end once the costs are settled, but not before there are enough rounds', async () => {
    const least = await played({ mostRounds: 10 }, () => true);
    expect(least.costs.get('a')).toHaveLength(3);
    const fifth = await played({ mostRounds: 10 }, (costs) => costs.get('a')?.length === 5);
    expect(fifth.costs.get('a')).toHaveLength(5);
  });

  test('end with the last round allowed where the costs never settle, and early where the time is up', async () => {
    expect((await played({ mostRounds: 10 })).costs.get('a')).toHaveLength(10);
    expect((await played({ mostRounds: 10, rowMs: 0 })).costs.get('a')).toHaveLength(3);
  });
});
