import type { BenchBackend } from '../backends/backend.ts';
import { BareIndex } from '../limits/index.ts';
import type { Limit } from '../limits/limit.ts';
import type { Row, Series } from '../report/row.ts';
import { inverted } from '../report/spread.ts';
import { type Contest, contestSeries, type Rival } from '../runner/contest.ts';
import { type BenchContext, isWanted } from '../runner/context.ts';
import { touchHeap } from '../runner/kept-memory.ts';
import { type Figure, meets } from '../runner/measure.ts';
import { FilledRanking } from './filled-ranking.ts';
import { FilledBare, FilledPool } from './pool.ts';
import { rankedAdmission, rankedEviction } from './ranked-admission.ts';
import { RankedPool } from './ranked-pool.ts';
import { rankedSelection } from './ranked-selection.ts';
import type { RankedPools, RankedWorkload } from './ranked-workload.ts';

const workloads: readonly RankedWorkload[] = [...rankedAdmission, ...rankedSelection, ...rankedEviction];

interface Filled extends RankedPools {
  readonly n: number;
}

/** All workloads of pools by priority; none where the backend has no such pools. */
export async function rankedSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const [limit] = backend.limits;
  if (limit === undefined || !backend.subject.backend.capabilities.priority) return [];
  const wanted = workloads.filter((workload) => isWanted(context, workload));
  if (wanted.length === 0) return [];
  const rankings = wanted.some((workload) => 'ranking' in workload) ? backend.rankings : [];
  const filled: Filled[] = [];
  const series: Series[] = [];
  try {
    for (const n of context.sizes) filled.push(await fill({ ...backend, rankings }, limit, n));
    touchHeap(backend.place, context);
    for (const workload of wanted) series.push(await measured(workload, backend, limit, filled, context));
    return series;
  } finally {
    for (const { ranked, arrivals, bare, rankings } of filled) {
      await ranked.close();
      await arrivals.close();
      for (const ranking of rankings) await ranking.close();
      await bare.bare.close();
    }
  }
}

async function fill({ subject, rankings: bares }: BenchBackend, limit: Limit, n: number): Promise<Filled> {
  const ranked = new RankedPool(subject, n);
  await ranked.fill(n, 'pending');
  await ranked.age();
  const arrivals = await new FilledPool(subject, n).fill(n, 'pending');
  await arrivals.age();
  const { stored, bare } = await FilledBare.fill(limit, n, 'pending');
  const rankings: FilledRanking[] = [];
  for (const one of bares) rankings.push(await FilledRanking.fill(one, n));
  return { n, ranked, arrivals, bare: { stored, bare, index: new BareIndex(n) }, rankings };
}

function measured(
  workload: RankedWorkload,
  held: BenchBackend,
  limit: Limit,
  filled: readonly Filled[],
  context: BenchContext,
): Promise<Series> {
  const { id, title, per, beside } = workload;
  const contests = filled.map((pools): Contest => {
    const other = beside === undefined ? [] : [{ name: beside.name, prepare: () => beside.turn(pools) }];
    const rivals = [...limitsOf(workload, limit, pools), ...other];
    return { n: pools.n, ours: () => workload.ours(pools.ranked), rivals };
  });
  return contestSeries({ backend: held.name, id, title, per, unit: 'µs' }, contests, held, context);
}

function limitsOf(workload: RankedWorkload, { name }: Limit, { bare, rankings }: RankedPools): Rival[] {
  if (!('ranking' in workload)) return [{ name: workload.limitName ?? name, prepare: () => workload.limit(bare) }];
  return rankings.map((ranking) => ({ name: ranking.name, prepare: () => workload.ranking(ranking) }));
}

/** What these rows must be beside what they are held against. */
export function rankedGoals(rows: readonly Row[]): Figure[] {
  return workloads.flatMap(({ id, goal }) =>
    rows.flatMap((row): Figure[] => {
      const { backend, title, n } = row;
      const held = goal?.goals[backend];
      const limit = row.limits.find(({ name }) => name === goal?.against);
      if (row.id !== id || held === undefined || limit === undefined) return [];
      const value = inverted(limit.ratio);
      const full = `${title} ÷ ${limit.name}, n = ${n.toLocaleString('en')}`;
      return [{ backend, title: full, goal: held, unit: '×', value, met: meets(value.median, held) }];
    }),
  );
}
