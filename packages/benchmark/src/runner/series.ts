import { footprintSeries, poolBytes } from '../goals/footprint.ts';
import { type BackendName, type BenchBackend, backendOf } from '../limits/backend.ts';
import { BareIndex } from '../limits/memory.ts';
import { revisionOf } from '../report/machine.ts';
import { footprintHead, type Series } from '../report/row.ts';
import { type Asked, type BenchContext, isWanted } from '../setup/context.ts';
import { loadSubject, subjectPath } from '../setup/subject.ts';
import { fifoWorkloads, readsFirst, storeWorkloads } from '../workloads/fifo.ts';
import {
  type FilledBare,
  FilledPool,
  type FilledRanking,
  fillBare,
  fillRanking,
  type Given,
} from '../workloads/pools.ts';
import { priorityWorkloads } from '../workloads/priority.ts';
import type { Rival, Workload } from '../workloads/workload.ts';
import { contestSeries } from './contest.ts';
import { touchHeap } from './memory.ts';

/** Another checkout: small differences are looked for, so more rounds, and bytes more than once. */
const roundsAgainst = 15;
const weighings = 3;

/** Everything that is filled with the same number of transactions. */
interface Filled {
  readonly ours: FilledPool;
  rivals(workload: Workload): Rival[];
  readonly all: readonly { close(): Promise<void> }[];
}

/** All rows of a backend; each kind of pool is filled once. */
export async function allSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const fifo = backend.place === 'heap' ? readsFirst : fifoWorkloads;
  const can = backend.subject.backend.capabilities;
  const isMeasured = (one: Workload): boolean =>
    (one.needs ?? []).every((need) => can[need]) &&
    (one.given !== 'priority' || can.priority) &&
    isWanted(context, one);
  const fillOwn: Fill = (n, given) => fill(backend, context, n, given);
  const series = await filledSeries(backend, fifo.filter(isMeasured), fillOwn, context);
  const footprint = await footprintSeries(backend, context);
  const ranked = await filledSeries(backend, priorityWorkloads.filter(isMeasured), fillOwn, context);
  const place = ({ head }: Series): number => fifoWorkloads.findIndex(({ id }) => id === head.id);
  return [...series.toSorted((a, b) => place(a) - place(b)), ...footprint, ...ranked];
}

/** FIFO pools beside those of another checkout as the limit: at a ratio of 1 both are as fast, or as small. */
export async function seriesAgainst(name: BackendName, checkout: string, given: BenchContext): Promise<Series[]> {
  const context = { ...given, rounds: given.rounds ?? roundsAgainst };
  const { logs: _, ...ours } = await backendOf(name, context);
  const path = subjectPath(name, checkout);
  const theirs = { ...ours, path, subject: await loadSubject(path) };
  const other = revisionOf(checkout) ?? 'the other';
  const filled: Fill = async (n, stage) => {
    const own = await new FilledPool(ours.subject, n, stage).fill();
    const others = await new FilledPool(theirs.subject, n, stage).fill();
    const rivals = (workload: Workload) => [{ name: other, prepare: () => workload.ours(others) }];
    return { ours: own, rivals, all: [own, others] };
  };
  const wanted = storeWorkloads.filter((one) => isWanted(context, one));
  const series = await filledSeries(ours, wanted, filled, context);
  if (context.pass.index > 0 || !isWanted(context, footprintHead(name))) return series;
  return [...series, await weightBeside(ours, theirs, other, context)];
}

async function weightBeside(
  ours: BenchBackend,
  theirs: BenchBackend,
  other: string,
  context: BenchContext,
): Promise<Series> {
  const costs: Series['costs'][number][] = [];
  for (const n of context.sizes) {
    const [own, others]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.min(weighings, context.rounds ?? weighings); round++) {
      own.push(await poolBytes(ours, context, n));
      others.push(await poolBytes(theirs, context, n));
    }
    costs.push({ n, ours: own, limits: new Map([[other, others]]) });
  }
  return { head: footprintHead(ours.name), costs };
}

type Fill = (n: number, given: Given) => Promise<Filled>;

/** Workloads with the same transactions before them share the filled pools. */
async function filledSeries(
  backend: BenchBackend,
  wanted: readonly Workload[],
  fill: Fill,
  context: BenchContext,
): Promise<Series[]> {
  const series: Series[] = [];
  for (const [given, workloads] of Map.groupBy(wanted, (one) => one.given)) {
    const filled = new Map<number, Filled>();
    try {
      for (const n of context.sizes) filled.set(n, await fill(n, given));
      touchHeap(backend.place, context);
      for (const workload of workloads) series.push(await measured(workload, backend, filled, context));
    } finally {
      for (const { all } of filled.values()) for (const one of all) await one.close();
    }
  }
  return series;
}

function measured(
  workload: Workload,
  { name, place, logs }: BenchBackend,
  filled: ReadonlyMap<number, Filled>,
  context: BenchContext,
): Promise<Series> {
  const { id, title, per, given } = workload;
  const contests = [...filled].map(([n, pools]) => ({
    n,
    ours: () => workload.ours(pools.ours),
    rivals: pools.rivals(workload),
  }));
  // A restart must be the last one to have the file open.
  const held = id === 'restart' || logs === undefined ? { place, given } : { place, given, logs };
  return contestSeries({ backend: name, id, title, per, unit: 'µs' }, contests, held, context);
}

async function fill(backend: BenchBackend, { rounds }: Asked, n: number, given: Given): Promise<Filled> {
  const filled = async (stage: Given): Promise<FilledPool> => {
    const pool = await new FilledPool(backend.subject, n, stage).fill();
    // A single round is a quick look.
    return stage === 'logged' || rounds === 1 ? pool : pool.age();
  };
  const ours = await filled(given);
  if (given === 'priority') return besidePriority(ours, await filled('pending'), backend, n);
  const bares: FilledBare[] = [];
  for (const limit of backend.limits) bares.push(await fillBare(limit, n, given));
  return { ours, rivals: (workload) => bares.flatMap((bare) => limitOf(workload, bare)), all: [ours, ...bares] };
}

/** A bare Map does not restart. */
function limitOf({ id, limit }: Workload, bare: FilledBare): Rival[] {
  if (limit === undefined || (id === 'restart' && bare.bare.reopen === undefined)) return [];
  return [{ name: bare.name, prepare: () => limit(bare) }];
}

async function besidePriority(
  ours: FilledPool,
  fifo: FilledPool,
  { limits, rankings: bareRankings }: BenchBackend,
  n: number,
): Promise<Filled> {
  const bare = await fillBare(limits[0], n, 'pending');
  const rankings: FilledRanking[] = [];
  for (const limit of bareRankings) rankings.push(await fillRanking(limit, n));
  const beside = { ours, fifo, bare, index: new BareIndex(n), rankings };
  const rivals = (workload: Workload) => [...limitOf(workload, bare), ...(workload.rivals?.(beside) ?? [])];
  return { ours, rivals, all: [ours, fifo, ...rankings, bare] };
}
