import { coldGoals } from '../goals/cold.ts';
import { electionGoals } from '../goals/election.ts';
import { heapGoals } from '../goals/footprint.ts';
import { redisLedgerGoals } from '../goals/ledger-redis.ts';
import { sqliteLedgerGoals } from '../goals/ledger-sqlite.ts';
import { type Measure, type Sampled, take } from '../goals/measure.ts';
import { memoryGoals } from '../goals/memory.ts';
import { pacedGoals } from '../goals/paced.ts';
import { reapingGoal } from '../goals/reaping.ts';
import { redisGoals } from '../goals/redis.ts';
import { sequencerGoals } from '../goals/sequencer.ts';
import { serverGoals } from '../goals/server.ts';
import { sqliteGoals } from '../goals/sqlite.ts';
import { writersGoals } from '../goals/writers.ts';
import { type BackendName, type BenchBackend, backendOf, foreignBackend, places } from '../limits/backend.ts';
import type { Series } from '../report/row.ts';
import { type BenchContext, isWanted, type Place } from '../setup/context.ts';
import { touchHeap } from './memory.ts';
import { allSeries, seriesAgainst } from './series.ts';

/** The part of a run that one process measures in one pass. */
export type Part =
  | { readonly kind: 'backend'; readonly name: BackendName }
  | { readonly kind: 'foreign'; readonly path: string }
  | { readonly kind: 'against'; readonly name: BackendName; readonly checkout: string };

export interface Measured {
  readonly series: readonly Series[];
  readonly sampled: readonly Sampled[];
}

/** Its name in a report. */
export function titleOf(part: Part): string {
  return part.kind === 'foreign' ? part.path : part.name;
}

/** A third-party backend is started like one in memory. */
export function placeOf(part: Part): Place {
  return part.kind === 'foreign' ? 'heap' : places[part.name];
}

export async function measurePart(part: Part, context: BenchContext): Promise<Measured> {
  switch (part.kind) {
    case 'backend': {
      const backend = await backendOf(part.name, context);
      const series = await allSeries(backend, context);
      touchHeap(backend.place, context);
      return { series, sampled: await samples(await goalsOf(backend, context), context) };
    }
    case 'foreign':
      return { series: await allSeries(await foreignBackend(part.path, context), context), sampled: [] };
    case 'against':
      return { series: await seriesAgainst(part.name, part.checkout, context), sampled: [] };
  }
}

/** Bytes of heap for each transaction of a priority pool: in a mirror, and beside it where the heap is the store. */
const mostMirror = 700;
const mostHeap = 550;

/** The goals that a backend of ours has beside its flatness. */
async function goalsOf(backend: BenchBackend, context: BenchContext): Promise<Measure[]> {
  const reaping = reapingGoal(backend, context);
  const heap = heapGoals(backend, context, backend.place === 'heap' ? mostHeap + mostMirror : mostMirror);
  switch (backend.place) {
    case 'heap':
      return [...memoryGoals(backend, context), ...heap, reaping, ...serverGoals(backend, context)];
    case 'file':
      return [
        ...sqliteGoals(backend, context),
        ...pacedGoals(backend, context),
        ...writersGoals(backend, context),
        ...coldGoals(backend, context),
        ...heap,
        ...(await sqliteLedgerGoals(context)),
        reaping,
        ...electionGoals(backend),
        ...serverGoals(backend, context),
      ];
    case 'server':
      return [
        ...redisGoals(backend, context),
        ...(await redisLedgerGoals(backend, context)),
        ...sequencerGoals(backend, context),
        ...pacedGoals(backend, context),
        ...writersGoals(backend, context),
        ...coldGoals(backend, context),
        ...heap,
        reaping,
        ...electionGoals(backend),
      ];
  }
}

async function samples(measures: readonly Measure[], context: BenchContext): Promise<Sampled[]> {
  const results: Sampled[] = [];
  for (const measure of measures.filter((one) => isWanted(context, one))) {
    console.error(`${measure.backend}: ${measure.title}`);
    results.push(await take(measure, context));
  }
  return results;
}
