import { describe, expect, test } from 'vitest';
import { type Row, rowsOf } from '../src/report/row.ts';
import { goalsAgainst } from '../src/runner/against.ts';
import { rankedGoals } from '../src/workloads/ranked-series.ts';

function rowsBeside(
  backend: string,
  id: string,
  ours: readonly number[],
  others: Readonly<Record<string, number[]>>,
): Row[] {
  const head = { backend, id, title: 'a title', unit: 'µs', per: 'transaction' } as const;
  return rowsOf(head, [[{ n: 1_000, ours, limits: new Map(Object.entries(others)) }]]);
}

describe('the goals of pools by priority', () => {
  test('hold evictions against a FIFO pool: four times its cost in memory, three times where it is stored', () => {
    const met = (backend: string, factor: number): boolean[] =>
      rankedGoals(rowsBeside(backend, 'ranked-evict-100', [factor], { bare: [1], 'FIFO pool': [1] })).map(
        (goal) => goal.met,
      );
    expect([met('ephemeral', 4), met('ephemeral', 4.1)]).toEqual([[true], [false]]);
    expect([met('sqlite', 3), met('sqlite', 3.1)]).toEqual([[true], [false]]);
    expect([met('redis', 3), met('redis', 3.1)]).toEqual([[true], [false]]);
  });

  test('are what ours costs ÷ what the other does, with the spread of the rounds', () => {
    const [goal] = rankedGoals(rowsBeside('ephemeral', 'ranked-reap', [2, 6, 16], { 'bare index': [2, 2, 4] }));
    expect(goal).toMatchObject({ value: { median: 3, least: 1, most: 4, rounds: 3 }, met: false });
  });

  test('hold a sweep against one that finds nothing, which must cost far less', () => {
    const goals = (ours: number) =>
      rankedGoals(rowsBeside('redis', 'ranked-sweep', [ours], { 'sweep of nothing': [1] }));
    expect([...goals(10), ...goals(9)].map(({ met }) => met)).toEqual([true, false]);
  });

  test('are none for a backend of somebody else', () => {
    expect(rankedGoals(rowsBeside('journal', 'ranked-reap', [9], { 'bare index': [1] }))).toEqual([]);
  });
});

describe('the goals beside another checkout', () => {
  test('are a tenth of speed, and hardly any bytes, that may be lost', () => {
    const [quick, slow] = [0.9, 0.89].map((theirs) =>
      goalsAgainst(rowsBeside('ephemeral', 'a', [1], { old: [theirs] })),
    );
    expect([quick?.[0]?.met, slow?.[0]?.met]).toEqual([true, false]);
    const weights = rowsBeside('ephemeral', 'a', [100], { old: [97] }).map((row): Row => ({ ...row, unit: 'bytes' }));
    expect(goalsAgainst(weights)[0]?.met).toBe(false);
  });
});
