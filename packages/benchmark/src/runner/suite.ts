import { figureOf, type Sampled } from '../goals/measure.ts';
import { type Figure, growthGoals, rowGoals } from '../report/figure.ts';
import { digits } from '../report/format.ts';
import { machineOf } from '../report/machine.ts';
import { type Result, resultFormat } from '../report/result.ts';
import { type Row, rowsOf, type Series } from '../report/row.ts';
import { withFolder } from '../setup/context.ts';
import { fifoWorkloads } from '../workloads/fifo.ts';
import { priorityWorkloads } from '../workloads/priority.ts';
import type { Options } from './options.ts';
import type { Measured } from './part.ts';
import { measuredApart } from './process.ts';

const program = new URL('./part.ts', import.meta.url);
const fsyncRounds = 7;

/**
 * Everything that the options ask for, pass after pass, each backend in a process of its own: the compiled code of a process and the
 * addresses of its memory make some rows slower from its start to its end.
 */
export async function run(options: Options): Promise<Result> {
  const { sizes, rounds, row, passes: count, backends } = options;
  const began = new Date();
  const minutes = (): number => (Date.now() - began.getTime()) / 60_000;
  const machine = await withFolder(async (folder) => machineOf(folder, rounds ?? fsyncRounds));
  const measured: Measured[] = [];
  for (let index = 0; index < count; index++)
    for (const name of backends) {
      console.error(`${name}: pass ${index + 1} of ${count}, after ${digits(minutes())} minutes`);
      measured.push(await measuredApart(program, { name, asked: { sizes, rounds, row, pass: { index, count } } }));
    }
  const passes = Object.fromEntries(backends.map((name) => [name, count]));
  const head = { format: resultFormat, date: began.toISOString(), minutes: minutes(), sizes, passes, machine } as const;
  const whole: Result = { ...head, ...together(measured), sections: [] };
  if (row !== undefined && whole.rows.length + whole.goals.length === 0)
    throw new Error(`--row ${row}: no row and no goal has that in its title, or as its id`);
  return whole;
}

const workloads = [...fifoWorkloads, ...priorityWorkloads];
const goalsOfRows = new Map(workloads.map(({ id, goals = {} }) => [id, goals]));
const growing = new Set(workloads.flatMap(({ id, grows }) => (grows ? [id] : [])));

function together(measured: readonly Measured[]): Pick<Result, 'rows' | 'goals'> {
  const rows = rowsIn(measured.flatMap(({ series }) => series));
  const flat = rows.filter(({ id }) => !growing.has(id));
  const figures = figuresIn(measured.flatMap(({ sampled }) => sampled));
  return { rows, goals: [...rowGoals(rows, goalsOfRows), ...growthGoals(flat), ...figures] };
}

function rowsIn(series: readonly Series[]): Row[] {
  return [...Map.groupBy(series, ({ head }) => `${head.backend}: ${head.id}`).values()].flatMap(rowsOf);
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
