import { type BackendName, type BenchBackend, backendOf, foreignBackend } from '../backends/backend.ts';
import { loadSubject } from '../backends/subject.ts';
import { electionMeasures } from '../goals/election.ts';
import { memoryMeasures } from '../goals/memory.ts';
import { reapingMeasure } from '../goals/reaping.ts';
import { redisMeasures } from '../goals/redis.ts';
import { exclusiveMeasure, sqliteMeasures } from '../goals/sqlite.ts';
import { measurePeers, type PeersMeasured } from '../peers/comparison.ts';
import type { Series } from '../report/row.ts';
import { footprintSeries } from '../workloads/footprint.ts';
import { rankedSeries } from '../workloads/ranked-series.ts';
import { workloadSeries } from '../workloads/series.ts';
import { seriesAgainst } from './against.ts';
import { type BenchContext, isWanted, subjectPaths } from './context.ts';
import { touchHeap } from './kept-memory.ts';
import { type Measure, type Sampled, take } from './measure.ts';
import type { Options } from './options.ts';

/** What one process measures in one pass. */
export type Part =
  | { readonly kind: 'backend'; readonly name: BackendName; readonly full: boolean }
  | { readonly kind: 'foreign'; readonly path: string }
  | { readonly kind: 'against'; readonly name: BackendName; readonly checkout: string }
  | { readonly kind: 'peers' };

/** What one process compiled, and where its memory lies, is not all that there is. */
const usualPasses = 2;
/** They open a new store for each round. */
const passesOfPeers = 1;

/** In how many passes: each has a round of every row at the least. */
export function passesOf(part: Part, { passes, rounds }: Pick<Options, 'passes' | 'rounds'>): number {
  return Math.min(passes ?? usual(part), rounds ?? Number.POSITIVE_INFINITY);
}

function usual({ kind }: Part): number {
  return kind === 'peers' ? passesOfPeers : usualPasses;
}

/** What a report calls it. */
export function titleOf(part: Part): string {
  switch (part.kind) {
    case 'backend':
    case 'against':
      return part.name;
    case 'foreign':
      return part.path;
    case 'peers':
      return part.kind;
  }
}

/** What it measured. */
export interface Measured {
  readonly series: readonly Series[];
  readonly sampled: readonly Sampled[];
  readonly peers: PeersMeasured | null;
}

export async function measurePart(part: Part, context: BenchContext): Promise<Measured> {
  switch (part.kind) {
    case 'backend': {
      const backend = await backendOf(part.name, context);
      const series = await seriesOf(backend, context);
      touchHeap(backend.place, context);
      return { series, sampled: await samples(await measuresOf(backend, part.full, context), context), peers: null };
    }
    case 'foreign':
      return { series: await seriesOf(await foreignBackend(part.path, context), context), sampled: [], peers: null };
    case 'against':
      return { series: await seriesAgainst(part.name, part.checkout, context), sampled: [], peers: null };
    case 'peers':
      return { series: [], sampled: [], peers: await measurePeers(context) };
  }
}

/** Whether it needs the server of the benchmark. */
export function needsRedis(part: Part): boolean {
  return part.kind === 'peers' || ('name' in part && part.name === 'redis');
}

async function seriesOf(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  return [
    ...(await workloadSeries(backend, context)),
    ...(await footprintSeries(backend, context)),
    ...(await rankedSeries(backend, context)),
  ];
}

/** The goals that a backend of ours has beside its flatness. */
async function measuresOf(backend: BenchBackend, full: boolean, context: BenchContext): Promise<Measure[]> {
  const { name, subject, path } = backend;
  if (name === 'ephemeral') return [...memoryMeasures(backend, context), reapingMeasure(backend, context)];
  if (name === 'sqlite') {
    const own = [
      ...sqliteMeasures(backend, context),
      reapingMeasure(backend, context),
      ...electionMeasures(subject, path),
    ];
    return full ? [...own, exclusiveMeasure(subject, await loadSubject(subjectPaths.sqliteExclusive))] : own;
  }
  if (context.redis === null) return [];
  return [
    ...redisMeasures(backend, context.redis.client, context),
    reapingMeasure(backend, context),
    ...electionMeasures(subject, path),
  ];
}

async function samples(measures: readonly Measure[], context: BenchContext): Promise<Sampled[]> {
  const results: Sampled[] = [];
  for (const measure of measures.filter((one) => isWanted(context, one))) {
    console.error(`${measure.backend}: ${measure.title}`);
    results.push(await take(measure, context.rounds, context.pass));
  }
  return results;
}
