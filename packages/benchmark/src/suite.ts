import { type BenchBackend, backendOf, foreignBackend } from './bench-backend.ts';
import { type BenchContext, subjectPaths } from './context.ts';
import { electionMeasures } from './election-measures.ts';
import { extras } from './extras.ts';
import { footprintRows } from './footprint.ts';
import { machineOf } from './machine.ts';
import { type Figure, type Measure, take } from './measure.ts';
import { memoryMeasures } from './memory-measures.ts';
import type { Options } from './options.ts';
import { rankedGoals, rankedRows } from './ranked-rows.ts';
import { redisMeasures } from './redis-measures.ts';
import { flatnessGoals, type Result, resultFormat, type Section } from './result.ts';
import type { Row } from './row.ts';
import { exclusiveMeasure, sqliteMeasures } from './sqlite-measures.ts';
import { loadSubject } from './subject.ts';
import { workloadRows } from './workload-rows.ts';

/** Everything that the options ask for. */
export async function run(options: Options, context: BenchContext): Promise<Result> {
  const date = new Date();
  const machine = await machineOf(context);
  const rows: Row[] = [];
  const goals: Figure[] = [];
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
  const sections: Section[] = [];
  if (options.peers)
    for (const extra of extras) {
      const more = await extra.run(context);
      goals.push(...more.goals);
      sections.push(...more.sections);
    }
  const minutes = (Date.now() - date.getTime()) / 60_000;
  return {
    format: resultFormat,
    date: date.toISOString(),
    minutes,
    sizes: context.sizes,
    machine,
    rows,
    goals,
    sections,
  };
}

async function backendsOf({ backends, subject }: Options, context: BenchContext): Promise<BenchBackend[]> {
  const own = await Promise.all(backends.map((name) => backendOf(name, context)));
  return subject === undefined ? own : [...own, await foreignBackend(subject, context)];
}

/** The goals that a backend of ours has beside its flatness. */
async function measuresOf(backend: BenchBackend, { full }: Options, context: BenchContext): Promise<Measure[]> {
  const { name, subject, path } = backend;
  if (path === subjectPaths.ephemeral) return memoryMeasures(backend, context);
  if (path === subjectPaths.sqlite) {
    const own = [...sqliteMeasures(backend, context), ...electionMeasures(subject, path)];
    return full ? [...own, exclusiveMeasure(subject, await loadSubject(subjectPaths.sqliteExclusive))] : own;
  }
  if (name === 'redis' && context.redis !== null)
    return [...redisMeasures(backend, context.redis.client, context), ...electionMeasures(subject, path)];
  return [];
}

async function figures(measures: readonly Measure[], { rounds }: BenchContext): Promise<Figure[]> {
  const results: Figure[] = [];
  for (const measure of measures) {
    console.error(`${measure.backend}: ${measure.title}`);
    results.push(await take(measure, rounds));
  }
  return results;
}
