import { goalsAgainst, rowsAgainst } from './against.ts';
import { type BenchBackend, backendOf, foreignBackend } from './bench-backend.ts';
import { type BenchContext, isWanted, subjectPaths } from './context.ts';
import { electionMeasures } from './election-measures.ts';
import { extras } from './extras.ts';
import { footprintRows } from './footprint.ts';
import { machineOf } from './machine.ts';
import { type Figure, type Measure, take } from './measure.ts';
import { memoryMeasures } from './memory-measures.ts';
import type { Options } from './options.ts';
import { rankedGoals, rankedRows } from './ranked-rows.ts';
import { reapingMeasure } from './reaping-measure.ts';
import { redisMeasures } from './redis-measures.ts';
import { flatnessGoals, type Result, resultFormat, type Section } from './result.ts';
import type { Row } from './row.ts';
import { exclusiveMeasure, sqliteMeasures } from './sqlite-measures.ts';
import { loadSubject } from './subject.ts';
import { workloadRows } from './workload-rows.ts';

/** What was measured, without when and where. */
interface Measured {
  readonly rows: Row[];
  readonly goals: Figure[];
  readonly sections: Section[];
}

/** Everything that the options ask for. */
export async function run(options: Options, context: BenchContext): Promise<Result> {
  const date = new Date();
  const machine = await machineOf(context);
  const { against } = options;
  const measured = against === undefined ? await all(options, context) : await beside(against, options, context);
  if (options.row !== undefined && measured.rows.length + measured.goals.length === 0)
    throw new Error(`--row ${options.row}: no row and no goal has that in its title, or as its id`);
  const minutes = (Date.now() - date.getTime()) / 60_000;
  const { sizes } = context;
  return { format: resultFormat, date: date.toISOString(), minutes, sizes, machine, ...measured };
}

async function all(options: Options, context: BenchContext): Promise<Measured> {
  const measured: Measured = { rows: [], goals: [], sections: [] };
  const { rows, goals, sections } = measured;
  for (const backend of await backendsOf(options, context)) {
    const own = [
      ...(await workloadRows(backend, context)),
      ...(await footprintRows(backend, context)),
      ...(await rankedRows(backend, context)),
    ];
    rows.push(...own);
    goals.push(...(await figures(await measuresOf(backend, options, context), context)), ...rankedGoals(own));
    goals.push(...flatnessGoals(own));
  }
  if (options.peers)
    for (const extra of extras) {
      const more = await extra.run(context);
      goals.push(...more.goals);
      sections.push(...more.sections);
    }
  return measured;
}

async function beside(checkout: string, { backends }: Options, context: BenchContext): Promise<Measured> {
  const rows: Row[] = [];
  for (const name of backends) rows.push(...(await rowsAgainst(name, checkout, context)));
  return { rows, goals: goalsAgainst(rows), sections: [] };
}

async function backendsOf({ backends, subject }: Options, context: BenchContext): Promise<BenchBackend[]> {
  const own = await Promise.all(backends.map((name) => backendOf(name, context)));
  return subject === undefined ? own : [...own, await foreignBackend(subject, context)];
}

/** The goals that a backend of ours has beside its flatness. */
async function measuresOf(backend: BenchBackend, { full }: Options, context: BenchContext): Promise<Measure[]> {
  const { name, subject, path } = backend;
  if (path === subjectPaths.ephemeral) return [...memoryMeasures(backend, context), reapingMeasure(backend, context)];
  if (path === subjectPaths.sqlite) {
    const own = [
      ...sqliteMeasures(backend, context),
      reapingMeasure(backend, context),
      ...electionMeasures(subject, path),
    ];
    return full ? [...own, exclusiveMeasure(subject, await loadSubject(subjectPaths.sqliteExclusive))] : own;
  }
  if (name === 'redis' && context.redis !== null)
    return [
      ...redisMeasures(backend, context.redis.client, context),
      reapingMeasure(backend, context),
      ...electionMeasures(subject, path),
    ];
  return [];
}

async function figures(measures: readonly Measure[], context: BenchContext): Promise<Figure[]> {
  const results: Figure[] = [];
  for (const measure of measures.filter((one) => isWanted(context, one))) {
    console.error(`${measure.backend}: ${measure.title}`);
    results.push(await take(measure, context.rounds));
  }
  return results;
}
