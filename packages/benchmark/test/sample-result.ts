import { type Result, resultFormat } from '../src/report/result.ts';
import { type Row, rowsOf } from '../src/report/row.ts';
import { spreadOf } from '../src/report/spread.ts';
import type { Figure } from '../src/runner/measure.ts';

/** A result with given costs: two workloads and a weight for each of two backends. */
export function sampleResult(goals: readonly Figure[] = []): Result {
  const rows = ['ephemeral', 'redis'].flatMap(rowsFor);
  const machine = {
    node: '24.0.0',
    system: 'linux x64',
    processor: '2 × a processor',
    memoryGib: 8,
    revision: null,
    betterSqlite3: '1.0.0',
    sqlite: '3.0.0',
    ioredis: '5.0.0',
    redis: '7.0.0',
    fsyncsPerSecond: spreadOf([4_000, 5_000, 6_000]),
  };
  const common = {
    format: resultFormat,
    date: '2030-02-01T10:00:00.000Z',
    minutes: 3,
    sizes: [1_000, 100_000],
    passes: { memory: 4, redis: 2 },
  } as const;
  return { ...common, machine, rows, goals, sections: [{ title: 'Another table', markdown: 'What it says.' }] };
}

function rowsFor(backend: string): Row[] {
  const costs = (factor: number) => [
    { n: 1_000, ours: [10, 11, 12].map((cost) => cost * factor), limits: new Map([['bare', [5, 5.5, 6]]]) },
    { n: 100_000, ours: [20, 22, 24].map((cost) => cost * factor), limits: new Map([['bare', [10, 11, 12]]]) },
  ];
  const passes = (factor: number) => [costs(factor), costs(factor)];
  return [
    ...rowsOf({ backend, id: 'receive-100', title: 'receive by 100', unit: 'µs', per: 'transaction' }, passes(1)),
    ...rowsOf({ backend, id: 'status', title: 'status by <100>', unit: 'µs', per: 'transaction' }, passes(1_000)),
    ...rowsOf({ backend, id: 'memory', title: 'memory', unit: 'bytes', per: 'transaction' }, passes(20)),
  ];
}

export function sampleGoal(value: readonly number[], goal: Figure['goal'], unit: Figure['unit'] = '×'): Figure {
  return { backend: 'ephemeral', title: 'a goal', goal, unit, value: spreadOf(value), met: true };
}

/** The same result with every ratio of one backend multiplied. */
export function scaled(result: Result, backend: string, factor: number): Result {
  const rows = result.rows.map((row) => {
    if (row.backend !== backend) return row;
    const limits = row.limits.map((limit) => {
      const { median, lower, upper, least, most, rounds } = limit.ratio;
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = [median, lower, upper, least, most].map((value) => value * factor);
      return { ...limit, ratio: { median: a, lower: b, upper: c, least: d, most: e, rounds } };
    });
    return { ...row, limits };
  });
  return { ...result, rows };
}
