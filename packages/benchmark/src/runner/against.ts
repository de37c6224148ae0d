import { resolve } from 'node:path';
import { type BackendName, type BenchBackend, backendOf } from '../backends/backend.ts';
import { loadSubject } from '../backends/subject.ts';
import { revisionOf } from '../report/machine.ts';
import type { Costs, Row, Series } from '../report/row.ts';
import { poolBytes } from '../workloads/footprint.ts';
import { lifecycleWorkloads } from '../workloads/lifecycle.ts';
import { FilledPool } from '../workloads/pool.ts';
import { receiveWorkloads } from '../workloads/receive.ts';
import type { Workload } from '../workloads/workload.ts';
import { type Contest, contestSeries } from './contest.ts';
import { type BenchContext, isWanted, subjectPathsIn } from './context.ts';
import { touchHeap } from './kept-memory.ts';
import { type Figure, type Measure, meets } from './measure.ts';

const ids = new Set(['receive-1', 'receive-100', ...lifecycleWorkloads.map(({ id }) => id)]);

/** The store's own verbs: what lies above the store would be ours for both. */
const workloads: readonly Workload[] = [...receiveWorkloads, ...lifecycleWorkloads].filter(({ id }) => ids.has(id));

/** Two of the same take turns: what is looked for is less than what single rounds differ by. */
const defaultRounds = 15;
const weighings = 3;

/** A tenth slower is within what rounds differ by; bytes hardly vary. */
const atLeast = { µs: 0.9, bytes: 0.98 } as const;

/** Both sides, in the same turns. */
interface Pair {
  readonly ours: BenchBackend;
  readonly theirs: BenchBackend;
  /** What the other is called. */
  readonly name: string;
}

interface Filled {
  readonly n: number;
  readonly ours: FilledPool;
  readonly theirs: FilledPool;
}

/** Pools in order of arrival, those of another checkout as the limit: a ratio of 1 is as quick, or as small, as there. */
export async function seriesAgainst(name: BackendName, checkout: string, given: BenchContext): Promise<Series[]> {
  const context = { ...given, rounds: given.rounds ?? defaultRounds };
  const ours = await backendOf(name, context);
  const path = subjectPathsIn(resolve(checkout))[name];
  const theirs = { ...ours, path, subject: await loadSubject(path) };
  const pair = { ours, theirs, name: revisionOf(checkout) ?? 'the other' };
  return [
    ...(await workloadsBeside(pair, 'pending', context)),
    ...(await workloadsBeside(pair, 'inflight', context)),
    ...(context.pass.index > 0 ? [] : [await weightBeside(pair, context)]),
  ];
}

async function workloadsBeside(pair: Pair, given: Workload['given'], context: BenchContext): Promise<Series[]> {
  const filled: Filled[] = [];
  const series: Series[] = [];
  const pool = (backend: BenchBackend, n: number) => new FilledPool(backend.subject, n).fill(n, given);
  try {
    for (const n of context.sizes)
      filled.push({ n, ours: await pool(pair.ours, n), theirs: await pool(pair.theirs, n) });
    touchHeap(pair.ours.place, context);
    for (const workload of workloads.filter((one) => one.given === given && isWanted(context, one)))
      series.push(await measured(workload, pair, filled, context));
    return series;
  } finally {
    for (const { ours, theirs } of filled) await Promise.all([ours.close(), theirs.close()]);
  }
}

function measured(workload: Workload, pair: Pair, filled: readonly Filled[], context: BenchContext): Promise<Series> {
  const { id, title, per } = workload;
  const contests = filled.map(
    ({ n, ours, theirs }): Contest => ({
      n,
      ours: () => workload.ours(ours),
      rivals: [{ name: pair.name, prepare: () => workload.ours(theirs) }],
    }),
  );
  return contestSeries(
    { backend: pair.ours.name, id, title, per, unit: 'µs' },
    contests,
    { place: pair.ours.place },
    context,
  );
}

async function weightBeside({ ours, theirs, name }: Pair, context: BenchContext): Promise<Series> {
  console.error(`${ours.name}: memory`);
  const costs: Costs[] = [];
  for (const n of context.sizes) {
    const [own, others]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.min(weighings, context.rounds ?? weighings); round++) {
      own.push(await poolBytes(ours, context, n));
      others.push(await poolBytes(theirs, context, n));
    }
    costs.push({ n, ours: own, limits: new Map([[name, others]]) });
  }
  const title = 'memory beyond the payload';
  return { head: { backend: ours.name, id: 'memory', title, unit: 'bytes', per: 'transaction' }, costs };
}

/** As fast, and as small, as the other. */
export function goalsAgainst(rows: readonly Row[]): Figure[] {
  return rows.flatMap(({ backend, title, n, unit, limits }) =>
    limits.map(({ name, ratio }): Figure => {
      const goal: Measure['goal'] = { kind: 'at least', value: atLeast[unit] };
      const full = `${title}, n = ${n.toLocaleString('en')}: ${name} ÷ ours`;
      return { backend, title: full, goal, unit: '×', value: ratio, met: meets(ratio.median, goal) };
    }),
  );
}
