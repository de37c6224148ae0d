import { describe, expect, test } from 'vitest';
import { rotated, takeTurns } from '../src/turns.ts';

const names = ['a', 'b', 'c'] as const;

async function played(rounds: number, warmups: number) {
  const order: string[] = [];
  const participants = names.map((name) => ({
    name,
    turn: async (round: number) => {
      order.push(name);
      return round;
    },
  }));
  return { costs: await takeTurns(participants, rounds, warmups), order };
}

describe('turns', () => {
  test('come to every participant once in every round', async () => {
    const { order } = await played(6, 0);
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
    const { costs } = await played(2, 3);
    expect(costs.get('a')).toEqual([3, 4]);
  });
});
