import { figureOf, type Sampled } from '../goals/measure.ts';
import { type Figure, flatnessGoals, goalsAgainst } from '../report/figure.ts';
import { digits } from '../report/format.ts';
import { type Machine, machineOf } from '../report/machine.ts';
import { type Result, resultFormat } from '../report/result.ts';
import { type Row, rowsOf, type Series } from '../report/row.ts';
import { withFolder } from '../setup/context.ts';
import { startServer } from '../setup/redis-server.ts';
import { priorityGoals } from '../workloads/priority.ts';
import type { Options } from './options.ts';
import { type Measured, type Part, placeOf, titleOf } from './part.ts';
import { measuredApart } from './process.ts';

const program = new URL('./child.ts', import.meta.url);
const fsyncRounds = 7;

/**
 * Everything that the options ask for, pass after pass, each part in a process of its own: the compiled code of a process and the
 * addresses of its memory make some rows slower from its start to its end.
 * @param tell is given the result so far after each part
 */
export async function run(options: Options, tell: (soFar: Result) => void): Promise<Result> {
  const { sizes, rounds, row, passes: count } = options;
  const began = new Date();
  const minutes = (): number => (Date.now() - began.getTime()) / 60_000;
  const parts = partsOf(options);
  const machine = await machineHere(parts.some(needsServer) ? 'own' : 'none', rounds);
  const measured: Measured[] = [];
  const result = (): Result => ({
    format: resultFormat,
    date: began.toISOString(),
    minutes: minutes(),
    sizes,
    passes: Object.fromEntries(parts.map((part) => [titleOf(part), count])),
    machine,
    ...together(measured, options),
    sections: [],
  });
  for (let index = 0; index < count; index++)
    for (const part of parts) {
      console.error(`${titleOf(part)}: pass ${index + 1} of ${count}, after ${digits(minutes())} minutes`);
      const asked = { sizes, rounds, row, pass: { index, count } };
      const server = needsServer(part) ? 'own' : 'none';
      measured.push(await measuredApart<Measured, Part>(program, { part, asked, server, place: placeOf(part) }));
      tell(result());
    }
  const whole = result();
  if (row !== undefined && whole.rows.length + whole.goals.length === 0)
    throw new Error(`--row ${row}: no row and no goal has that in its title, or as its id`);
  return whole;
}

function needsServer(part: Part): boolean {
  return placeOf(part) === 'server';
}

/** @param server whether the run starts a Redis: its version belongs into the report */
export function machineHere(server: 'none' | 'own', rounds: number | undefined): Promise<Machine> {
  return withFolder(async (folder) => {
    const redis = server === 'own' ? await startServer(folder) : null;
    try {
      return await machineOf(folder, redis, rounds ?? fsyncRounds);
    } finally {
      await redis?.stop();
    }
  });
}

function partsOf({ backends, subject, against }: Options): Part[] {
  if (against !== undefined) return backends.map((name) => ({ kind: 'against', name, checkout: against }));
  const own = backends.map((name): Part => ({ kind: 'backend', name }));
  return subject === undefined ? own : [...own, { kind: 'foreign', path: subject }];
}

function together(measured: readonly Measured[], { against }: Options): Pick<Result, 'rows' | 'goals'> {
  const rows = rowsIn(measured.flatMap(({ series }) => series));
  if (against !== undefined) return { rows, goals: goalsAgainst(rows) };
  const figures = figuresIn(measured.flatMap(({ sampled }) => sampled));
  const names = [...new Set([...rows, ...figures].map(({ backend }) => backend))];
  const goals = names.flatMap((name) => {
    const own = rows.filter(({ backend }) => backend === name);
    return [...figures.filter(({ backend }) => backend === name), ...priorityGoals(own), ...flatnessGoals(own)];
  });
  return { rows, goals };
}

function rowsIn(series: readonly Series[]): Row[] {
  const workloads = Map.groupBy(series, ({ head }) => `${head.backend}: ${head.id}`);
  return [...workloads.values()].flatMap(rowsOf);
}

/** One figure for each goal, with the rounds of all passes. */
function figuresIn(sampled: readonly Sampled[]): Figure[] {
  const goals = Map.groupBy(sampled, ({ backend, title }) => `${backend}: ${title}`);
  return [...goals.values()].flatMap((passes) => {
    const [head] = passes as [Sampled, ...Sampled[]];
    const values = passes.flatMap((pass) => pass.values);
    return values.length === 0 ? [] : [figureOf({ ...head, values })];
  });
}
