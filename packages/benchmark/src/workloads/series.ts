import type { BenchBackend } from '../backends/backend.ts';
import type { Limit } from '../limits/limit.ts';
import { inOrderOf, type Series } from '../report/row.ts';
import { type Contest, contestSeries, type Rival } from '../runner/contest.ts';
import { type BenchContext, isWanted } from '../runner/context.ts';
import { touchHeap } from '../runner/kept-memory.ts';
import { eventWorkloads } from './event.ts';
import { lifecycleWorkloads } from './lifecycle.ts';
import { FilledBare, FilledPool } from './pool.ts';
import { readWorkloads, restartWorkloads } from './read.ts';
import { receiveWorkloads } from './receive.ts';
import type { Workload } from './workload.ts';

/** In the order of the report. */
const workloads: readonly Workload[] = [
  ...receiveWorkloads,
  ...lifecycleWorkloads,
  ...readWorkloads,
  ...restartWorkloads,
  ...eventWorkloads,
];

/** A table that new ones were put into and taken out of has gaps, which whoever looks into it passes over: in memory looks come first. */
const looksFirst: readonly Workload[] = [
  ...readWorkloads,
  ...lifecycleWorkloads,
  ...receiveWorkloads,
  ...restartWorkloads,
  ...eventWorkloads,
];

/** A subject and its limits, filled with the same number of transactions. */
interface Filled {
  readonly n: number;
  readonly ours: FilledPool;
  readonly limits: ReadonlyMap<string, FilledBare>;
}

/** All workloads of a backend, by what must be stored before, so that it is stored once. */
export async function workloadSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const order = backend.place === 'heap' ? looksFirst : workloads;
  const series: Series[] = [];
  for (const given of ['pending', 'inflight', 'logged'] as const) {
    const wanted = order.filter(
      (workload) => workload.given === given && applies(workload, backend) && isWanted(context, workload),
    );
    if (wanted.length === 0) continue;
    const filled: Filled[] = [];
    try {
      for (const n of context.sizes) filled.push(await fill(backend, n, given));
      touchHeap(backend.place, context);
      for (const workload of wanted) series.push(await measured(workload, backend, filled, context));
    } finally {
      for (const { ours, limits } of filled) {
        await ours.close();
        for (const bare of limits.values()) await bare.close();
      }
    }
  }
  return inOrderOf(workloads, series);
}

function applies({ needs = [] }: Workload, { subject }: BenchBackend): boolean {
  return needs.every((capability) => subject.backend.capabilities[capability]);
}

async function fill({ subject, limits }: BenchBackend, n: number, given: Workload['given']): Promise<Filled> {
  const bares = new Map<string, FilledBare>();
  const ours = await new FilledPool(subject, n).fill(n, given);
  if (given !== 'logged') await ours.age();
  for (const limit of limits) bares.set(limit.name, await FilledBare.fill(limit, n, given));
  return { n, ours, limits: bares };
}

function measured(
  workload: Workload,
  { name, limits, place, logs }: BenchBackend,
  filled: readonly Filled[],
  context: BenchContext,
): Promise<Series> {
  const rivals = limits.filter((limit) => applicable(workload, limit));
  const { id, title, per } = workload;
  const contests = filled.map((pools) => contestOf(workload, pools, rivals));
  // What is opened and closed is to be the last one that has the file open.
  const held = id === 'restart' || logs === undefined ? { place } : { place, logs };
  return contestSeries({ backend: name, id, title, per, unit: 'µs' }, contests, held, context);
}

/** A bare Map does not restart. */
function applicable({ id }: Workload, { survives }: Limit): boolean {
  return id !== 'restart' || survives;
}

function contestOf(workload: Workload, { n, ours, limits }: Filled, held: readonly Limit[]): Contest {
  const rivals = held.flatMap(({ name }): Rival[] => {
    const bare = limits.get(name);
    return bare === undefined ? [] : [{ name, prepare: () => workload.limit(bare) }];
  });
  return { n, ours: () => workload.ours(ours), rivals };
}
