import { describe, expect, test } from 'vitest';
import { figureOf, inTurn, type Measure, take } from '../src/runner/measure.ts';

function measureOf(values: readonly number[], goal: Measure['goal']): Measure {
  const rest = [...values];
  return {
    backend: 'none',
    title: 'given values',
    goal,
    unit: '×',
    rounds: values.length - 1,
    sample: async () => rest.shift() ?? Number.NaN,
  };
}

describe('a measure', () => {
  test('is the median of its rounds, the first of which is thrown away', async () => {
    const figure = figureOf(await take(measureOf([100, 3, 1, 2], { kind: 'at least', value: 2 })));
    expect(figure).toMatchObject({ value: { median: 2, least: 1, most: 3 }, met: true });
  });

  test('misses a goal that its median does not reach', async () => {
    const figure = figureOf(await take(measureOf([0, 3, 1, 2], { kind: 'at most', value: 1.5 })));
    expect(figure.met).toBe(false);
  });

  test('has more rounds while they are not settled, as many as it may have', async () => {
    const wide = { ...measureOf([0, 1, 9, 1, 9, 1, 9], { kind: 'at least', value: 2 }), rounds: 2, mostRounds: 5 };
    expect((await take(wide)).values).toHaveLength(5);
    const narrow = { ...measureOf([0, 3, 3, 3, 3, 3, 3], { kind: 'at least', value: 2 }), rounds: 2, mostRounds: 5 };
    expect((await take(narrow)).values).toHaveLength(2);
  });

  test('has its share of the rounds in each pass where it is a ratio, and all of them in the first where it is not', async () => {
    const values = Array.from({ length: 9 }, (_, i) => i);
    const rounds = async (unit: Measure['unit'], index: number): Promise<number> => {
      const measure = { ...measureOf(values, { kind: 'at least', value: 2 }), unit };
      return (await take(measure, undefined, { index, count: 3 })).values.length;
    };
    expect([await rounds('×', 0), await rounds('×', 1), await rounds('×', 2)]).toEqual([3, 3, 2]);
    expect([await rounds('ms', 0), await rounds('ms', 1), await rounds('ms', 2)]).toEqual([8, 0, 0]);
  });

  test('takes limit and subject in an order that changes with the round', async () => {
    const order: string[] = [];
    const run = (name: string, milliseconds: number) => async () => {
      order.push(name);
      return milliseconds;
    };
    const results = [await inTurn(0, run('a', 1), run('b', 2)), await inTurn(1, run('a', 1), run('b', 2))];
    expect(order).toEqual(['a', 'b', 'b', 'a']);
    expect(results).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});
