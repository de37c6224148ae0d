import { describe, expect, test } from 'vitest';
import { flatnessGoals } from '../src/report/result.ts';
import { type Costs, rowsOf } from '../src/report/row.ts';

const head = { backend: 'a backend', id: 'a', title: 'a workload', unit: 'µs', per: 'transaction' } as const;

function rows(small: Omit<Costs, 'n'>, large: Omit<Costs, 'n'>) {
  return rowsOf(head, [
    [
      { n: 1_000, ...small },
      { n: 100_000, ...large },
    ],
  ]);
}

describe('a row', () => {
  test('has as ratio the limit ÷ ours, round by round', () => {
    const [, large] = rows(
      { ours: [1, 1, 1], limits: new Map([['bare', [1, 1, 1]]]) },
      { ours: [2, 4, 8], limits: new Map([['bare', [1, 2, 6]]]) },
    );
    expect(large?.limits[0]?.ratio).toMatchObject({ median: 0.5, least: 0.5, most: 0.75 });
  });

  test('has the rounds of all passes in one spread', () => {
    const pass = (ours: number[], limit: number[]): Costs[] => [{ n: 1_000, ours, limits: new Map([['bare', limit]]) }];
    const [row] = rowsOf(head, [pass([1, 2], [2, 2]), pass([4], [2])]);
    expect(row?.cost).toMatchObject({ median: 2, least: 1, most: 4, rounds: 3 });
    expect(row?.limits[0]?.ratio).toMatchObject({ median: 1, least: 0.5, most: 2, rounds: 3 });
  });

  test('tells how far the ratios of its passes are apart', () => {
    const pass = (ratio: number): Costs[] => [
      { n: 1_000, ours: [1, 1, 9], limits: new Map([['bare', [ratio, ratio, 1]]]) },
    ];
    const apart = (...ratios: number[]) => rowsOf(head, ratios.map(pass))[0]?.limits[0]?.passesApart;
    expect(apart(2, 3, 2.5)).toBe(0.5);
    expect(apart(2)).toBeNull();
  });

  test('refuses passes of different sizes', () => {
    const pass = (n: number): Costs[] => [{ n, ours: [1], limits: new Map() }];
    expect(() => rowsOf(head, [pass(1_000), pass(10_000)])).toThrow(RangeError);
  });

  test('is not flat where it grows and its limit does not', () => {
    const limits = new Map([['bare', [1, 1, 1]]]);
    const [small, large] = rows({ ours: [1, 2, 3], limits }, { ours: [3, 6, 9], limits });
    expect(small?.flatness).toBeNull();
    expect(large?.flatness?.median).toBe(3);
  });

  test('is flat where it grows as its first limit does', () => {
    const few = new Map([
      ['bare', [1, 1, 1]],
      ['other', [1, 1, 1]],
    ]);
    const many = new Map([
      ['bare', [3, 3, 3]],
      ['other', [9, 9, 9]],
    ]);
    const [, large] = rows({ ours: [1, 2, 3], limits: few }, { ours: [3, 6, 9], limits: many });
    expect(large).toMatchObject({ growth: { median: 3 }, flatness: { median: 1 } });
  });

  test('is not charged for a limit that gets cheaper with n', () => {
    const [, large] = rows(
      { ours: [2, 2, 2], limits: new Map([['bare', [4, 4, 4]]]) },
      { ours: [2, 2, 2], limits: new Map([['bare', [1, 1, 1]]]) },
    );
    expect(large?.flatness?.median).toBe(1);
  });

  test('without a limit has its own growth as flatness', () => {
    const [, large] = rows({ ours: [1], limits: new Map() }, { ours: [5], limits: new Map() });
    expect(large).toMatchObject({ limits: [], flatness: { median: 5 } });
  });
});

describe('the goals of flatness', () => {
  const limits = new Map<string, number[]>();

  test('are a row for each size above the least, met up to 2', () => {
    const goals = flatnessGoals([
      ...rows({ ours: [1], limits }, { ours: [2], limits }),
      ...rowsOf({ ...head, id: 'b' }, [
        [
          { n: 10, ours: [1], limits },
          { n: 20, ours: [2.1], limits },
        ],
      ]),
    ]);
    expect(goals.map(({ met }) => met)).toEqual([true, false]);
  });

  test('leave memory out', () => {
    const weights = rowsOf({ ...head, unit: 'bytes' }, [
      [
        { n: 10, ours: [1], limits },
        { n: 20, ours: [9], limits },
      ],
    ]);
    expect(flatnessGoals(weights)).toEqual([]);
  });
});
