import { describe, expect, test } from 'vitest';
import { compare } from '../src/report/check.ts';
import { sampleGoal, sampleResult, scaled } from './sample-result.ts';

const stored = sampleResult();

describe('the regression check', () => {
  test('finds nothing between a run and itself', () => {
    const { compared, worse, unsure } = compare(stored, stored);
    expect({ worse, unsure }).toEqual({ worse: [], unsure: [] });
    expect(compared).toBe(12);
  });

  test('names every row of a backend whose ratios fell by more than 15 %', () => {
    const { worse } = compare(stored, scaled(stored, 'ephemeral', 0.8));
    expect(worse).toHaveLength(6);
    expect(worse.map(({ key }) => key)).toContain('ephemeral: receive by 100, n = 100,000, against bare');
  });

  test('lets ratios fall by less than 15 %', () => {
    expect(compare(stored, scaled(stored, 'ephemeral', 0.87)).worse).toEqual([]);
  });

  test('lets those of Redis fall by 30 %', () => {
    expect(compare(stored, scaled(stored, 'redis', 0.72)).worse).toEqual([]);
    expect(compare(stored, scaled(stored, 'redis', 0.68)).worse).toHaveLength(6);
  });

  test('takes what got better for no regression', () => {
    expect(compare(stored, scaled(stored, 'ephemeral', 3)).worse).toEqual([]);
  });

  test('does not look at times: a slower machine with the same ratios passes', () => {
    const slower = {
      ...stored,
      rows: stored.rows.map((row) => ({ ...row, cost: { ...row.cost, median: row.cost.median * 9 } })),
    };
    expect(compare(stored, slower).worse).toEqual([]);
  });

  test('holds "at most" against growth and "at least" against a fall', () => {
    const goals = (most: number, least: number) =>
      sampleResult([
        sampleGoal([most], { kind: 'at most', value: 2 }),
        { ...sampleGoal([least], { kind: 'at least', value: 2 }), title: 'another goal' },
      ]);
    expect(compare(goals(1, 3), goals(1.2, 3)).worse.map(({ key }) => key)).toEqual(['ephemeral: a goal']);
    expect(compare(goals(1, 3), goals(1, 2.5)).worse.map(({ key }) => key)).toEqual(['ephemeral: another goal']);
  });

  test('compares no figure that is not a ratio', () => {
    const goal = { kind: 'at most', value: 350 } as const;
    const bytes = (value: number) => sampleResult([sampleGoal([value], goal, 'bytes')]);
    expect(compare(bytes(300), bytes(340))).toMatchObject({ compared: 12, worse: [] });
  });

  test('is unsure where the middle halves of both runs overlap', () => {
    const goal = { kind: 'at least', value: 1 } as const;
    const { worse, unsure } = compare(
      sampleResult([sampleGoal([6, 8, 10, 12, 14], goal)]),
      sampleResult([sampleGoal([4, 6, 8, 9, 10], goal)]),
    );
    expect(worse).toEqual([]);
    expect(unsure).toEqual([{ key: 'ephemeral: a goal', stored: 10, now: 8 }]);
  });

  test('compares only what both runs measured, and counts what this one left out', () => {
    const part = { ...stored, rows: stored.rows.filter(({ backend }) => backend === 'redis') };
    expect(compare(stored, part)).toMatchObject({ compared: 6, missing: 6 });
    expect(compare(part, stored)).toMatchObject({ compared: 6, missing: 0 });
  });
});
