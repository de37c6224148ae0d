import { type Figure, figureIn } from '../src/report/figure.ts';
import { type Result, resultFormat } from '../src/report/result.ts';
import { type Costs, type Row, rowsOf } from '../src/report/row.ts';
import { type Spread, spreadOf } from '../src/report/spread.ts';

/** The rows of one workload from its passes, each with its costs from the smallest n to the largest. */
export function rowsIn(passes: readonly (readonly Costs[])[], given: Partial<Row> = {}): Row[] {
  const head = { backend: 'ephemeral', id: 'a', title: 'a title', unit: 'µs', per: 'transaction', ...given } as const;
  return rowsOf(passes.map((costs) => ({ head, costs })));
}

/** The costs at one n of ours and of its limits. */
export function costs(n: number, ours: readonly number[], limits: Readonly<Record<string, readonly number[]>>): Costs {
  return { n, ours, limits: new Map(Object.entries(limits)) };
}

/** A result with given costs: two workloads and a footprint for each of two backends. */
export function sampleResult(goals: readonly Figure[] = []): Result {
  const machine = {
    ...{ node: '24.0.0', system: 'linux x64', processor: '2 × a processor', memoryGib: 8, revision: null },
    ...{ betterSqlite3: '1.0.0', sqlite: '3.0.0', ioredis: '5.0.0', redis: '7.0.0' },
    fsyncsPerSecond: spreadOf([4_000, 5_000, 6_000]),
  };
  const run = { format: resultFormat, date: '2030-02-01T10:00:00.000Z', minutes: 3, sizes: [1_000, 100_000] } as const;
  const sections = [{ title: 'Another table', markdown: 'What it says.' }];
  const rows = ['ephemeral', 'redis'].flatMap(rowsFor);
  return { ...run, passes: { memory: 4, redis: 2 }, machine, rows, goals, sections };
}

function rowsFor(backend: string): Row[] {
  const passes = (factor: number) =>
    Array(2).fill([
      costs(1_000, [10 * factor, 11 * factor, 12 * factor], { bare: [5, 5.5, 6] }),
      costs(100_000, [20 * factor, 22 * factor, 24 * factor], { bare: [10, 11, 12] }),
    ]);
  return [
    ...rowsIn(passes(1), { backend, id: 'receive-100', title: 'receive by 100' }),
    ...rowsIn(passes(1_000), { backend, id: 'status', title: 'status by 100' }),
    ...rowsIn(passes(20), { backend, id: 'memory', title: 'memory', unit: 'bytes' }),
  ];
}

export function sampleGoal(values: readonly number[], goal: Figure['goal'], given: Partial<Figure> = {}): Figure {
  return { ...figureIn({ backend: 'ephemeral', title: 'a goal', goal, unit: '×' }, spreadOf(values)), ...given };
}

/** The same result with every ratio of one backend multiplied. */
export function scaled(result: Result, backend: string, factor: number): Result {
  const times = (spread: Spread): Spread => {
    const entries = Object.entries(spread).map(([name, value]) => [name, name === 'rounds' ? value : value * factor]);
    return Object.fromEntries(entries);
  };
  const rows = result.rows.map((row) => {
    if (row.backend !== backend) return row;
    return { ...row, limits: row.limits.map((limit) => ({ ...limit, ratio: times(limit.ratio) })) };
  });
  return { ...result, rows };
}
