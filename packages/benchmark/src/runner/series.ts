import type { BenchBackend } from '../limits/backend.ts';
import { BareIndex } from '../limits/memory.ts';
import type { Series } from '../report/row.ts';
import { type BenchContext, isWanted } from '../setup/context.ts';
import { fifoWorkloads, readsFirst } from '../workloads/fifo.ts';
import { type FilledBare, FilledPool, fillBare, type Given } from '../workloads/pools.ts';
import { priorityWorkloads } from '../workloads/priority.ts';
import type { Rival, Workload } from '../workloads/workload.ts';
import { contestSeries } from './contest.ts';

/** Everything that is filled with the same number of transactions. */
interface Filled {
  readonly ours: FilledPool;
  rivals(workload: Workload): Rival[];
  readonly all: readonly { close(): Promise<void> }[];
}

/** All rows of a backend; each kind of pool is filled once. */
export async function allSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const fifo = backend.place === 'heap' ? readsFirst : fifoWorkloads;
  const isMeasured = (one: Workload): boolean =>
    (one.needs ?? []).every((need) => backend.subject.backend.capabilities[need]) && isWanted(context, one);
  const series = await filledSeries(backend, fifo.filter(isMeasured), context);
  const ranked = await filledSeries(backend, priorityWorkloads.filter(isMeasured), context);
  const place = ({ head }: Series): number => fifoWorkloads.findIndex(({ id }) => id === head.id);
  return [...series.toSorted((a, b) => place(a) - place(b)), ...ranked];
}

/** Workloads with the same transactions before them share the filled pools. */
async function filledSeries(
  backend: BenchBackend,
  wanted: readonly Workload[],
  context: BenchContext,
): Promise<Series[]> {
  const series: Series[] = [];
  for (const [given, workloads] of Map.groupBy(wanted, (one) => one.given)) {
    const filled = new Map<number, Filled>();
    try {
      for (const n of context.sizes) filled.set(n, await fill(backend, context, n, given));
      for (const workload of workloads) series.push(await measured(workload, backend, filled, context));
    } finally {
      for (const { all } of filled.values()) for (const one of all) await one.close();
    }
  }
  return series;
}

function measured(
  workload: Workload,
  { name, place }: BenchBackend,
  filled: ReadonlyMap<number, Filled>,
  context: BenchContext,
): Promise<Series> {
  const { id, title, per, given } = workload;
  const contests = [...filled].map(([n, pools]) => ({
    n,
    ours: () => workload.ours(pools.ours),
    rivals: pools.rivals(workload),
  }));
  return contestSeries({ backend: name, id, title, per }, contests, { place, given }, context);
}

/** A single round is a quick look: its pools have not been at work. */
async function fill(backend: BenchBackend, { rounds }: BenchContext, n: number, given: Given): Promise<Filled> {
  const filled = async (stage: Given): Promise<FilledPool> => {
    const pool = await new FilledPool(backend.subject, n, stage).fill();
    return stage === 'logged' || rounds === 1 ? pool : pool.age();
  };
  const ours = await filled(given);
  const bare = await fillBare(backend.limit, n, given);
  if (given !== 'priority') return { ours, rivals: (workload) => limitOf(workload, bare), all: [ours, bare] };
  const beside = { fifo: await filled('pending'), bare, index: new BareIndex(n) };
  const rivals = (workload: Workload) => [...limitOf(workload, bare), ...(workload.rivals?.(beside) ?? [])];
  return { ours, rivals, all: [ours, beside.fifo, bare] };
}

/** A bare Map does not restart. */
function limitOf({ per, limit }: Workload, bare: FilledBare): Rival[] {
  if (limit === undefined || (per === 'restart' && bare.bare.reopen === undefined)) return [];
  return [{ name: bare.name, prepare: () => limit(bare) }];
}
