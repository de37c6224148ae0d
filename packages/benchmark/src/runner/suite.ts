import { startServer } from '../backends/redis-server.ts';
import { peersReport } from '../peers/report.ts';
import { digits } from '../report/format.ts';
import { type Machine, machineOf } from '../report/machine.ts';
import { flatnessGoals, type Result, resultFormat } from '../report/result.ts';
import { type Row, rowsOf, type Series } from '../report/row.ts';
import { rankedGoals } from '../workloads/ranked-series.ts';
import { goalsAgainst } from './against.ts';
import { benchFolder, removeFolder } from './folder.ts';
import { hasFurtherPasses, isTimeFor, mostPasses, unsettledRows } from './further-passes.ts';
import { type Figure, figureOf, type Sampled } from './measure.ts';
import type { Options } from './options.ts';
import { type Measured, needsRedis, type Part, passesOf, titleOf } from './part.ts';
import { measuredApart } from './part-runner.ts';
import type { PassOf } from './pass.ts';

const fsyncRounds = 7;

/**
 * Everything that the options ask for, pass after pass: each part in a process of its own, as what a process compiled and
 * where its memory lies makes some rows dearer from its start to its end, and neighbours come and go in minutes.
 * @param tell is given what there is so far after each part
 */
export async function run(options: Options, tell: (soFar: Result) => void): Promise<Result> {
  const began = new Date();
  const suite = new Suite(options, { began, machine: await machineHere(options), tell });
  await suite.usualPasses();
  if (hasFurtherPasses(options)) await suite.furtherPasses();
  const result = suite.result();
  if (options.row !== undefined && result.rows.length + result.goals.length === 0)
    throw new Error(`--row ${options.row}: no row and no goal has that in its title, or as its id`);
  return result;
}

interface Setting {
  readonly began: Date;
  readonly machine: Machine;
  readonly tell: (soFar: Result) => void;
}

class Suite {
  readonly #options: Options;
  readonly #setting: Setting;
  /** Each with its usual passes. */
  readonly #parts: readonly (readonly [Part, number])[];
  readonly #measured: Measured[] = [];
  /** How long the last whole pass of each part took. */
  readonly #lastMinutes = new Map<Part, number>();

  constructor(options: Options, setting: Setting) {
    this.#options = options;
    this.#setting = setting;
    this.#parts = partsOf(options).map((part) => [part, passesOf(part, options)] as const);
  }

  async usualPasses(): Promise<void> {
    for (let index = 0; index < this.#mostUsual(); index++)
      for (const [part, count] of this.#parts) if (index < count) await this.#measure(part, { index, count });
  }

  /** Of the rows alone whose passes do not agree; first where there are fewest of them. */
  async furtherPasses(): Promise<void> {
    for (let index = this.#mostUsual(); index < mostPasses; index++)
      for (const { part, count, ids, rowsShare } of this.#unsettled()) {
        const isTime = isTimeFor(this.#lastMinutes.get(part) ?? 0, { elapsed: this.#minutes(), rowsShare });
        if (isTime) await this.#measure(part, { index, count }, ids);
      }
  }

  #unsettled() {
    const { rows } = this.result();
    return this.#parts
      .flatMap(([part, count]) => (part.kind === 'backend' ? [{ part, count, ...unsettledRows(rows, part.name) }] : []))
      .filter(({ ids }) => ids.length > 0)
      .sort((a, b) => a.rowsShare - b.rowsShare);
  }

  result(): Result {
    const { began, machine } = this.#setting;
    const passes = Object.fromEntries(this.#parts.map(([part, count]) => [titleOf(part), count]));
    const { sizes } = this.#options;
    const date = began.toISOString();
    const head = { format: resultFormat, date, minutes: this.#minutes(), sizes, passes, machine } as const;
    return { ...head, ...together(this.#measured, this.#options) };
  }

  async #measure(part: Part, pass: PassOf, ids?: readonly string[]): Promise<void> {
    const what = ids === undefined ? `of ${pass.count}` : `of ${ids.length} unsettled rows`;
    console.error(`${titleOf(part)}: pass ${pass.index + 1} ${what}, after ${digits(this.#minutes())} minutes`);
    const { sizes, rounds, row } = this.#options;
    const begin = this.#minutes();
    this.#measured.push(await measuredApart({ part, context: { sizes, rounds, row, ids, pass } }));
    if (ids === undefined) this.#lastMinutes.set(part, this.#minutes() - begin);
    this.#setting.tell(this.result());
  }

  #mostUsual(): number {
    return Math.max(0, ...this.#parts.map(([, count]) => count));
  }

  #minutes(): number {
    return (Date.now() - this.#setting.began.getTime()) / 60_000;
  }
}

async function machineHere(options: Options): Promise<Machine> {
  const folder = benchFolder();
  const redis = partsOf(options).some(needsRedis) ? await startServer(folder) : null;
  try {
    return await machineOf(folder, redis, options.rounds ?? fsyncRounds);
  } finally {
    await redis?.stop();
    removeFolder(folder);
  }
}

function partsOf({ backends, subject, against, peers, full }: Options): Part[] {
  if (against !== undefined) return backends.map((name) => ({ kind: 'against', name, checkout: against }));
  return [
    ...backends.map((name): Part => ({ kind: 'backend', name, full })),
    ...(subject === undefined ? [] : [{ kind: 'foreign', path: subject } as const]),
    ...(peers ? [{ kind: 'peers' } as const] : []),
  ];
}

function together(measured: readonly Measured[], { against }: Options): Pick<Result, 'rows' | 'goals' | 'sections'> {
  const rows = rowsIn(measured.flatMap(({ series }) => series));
  if (against !== undefined) return { rows, goals: goalsAgainst(rows), sections: [] };
  const figures = figuresIn(measured.flatMap(({ sampled }) => sampled));
  const { goals, sections } = peersReport(measured.flatMap(({ peers }) => peers ?? []));
  const names = [...new Set([...rows, ...figures].map(({ backend }) => backend))];
  const own = names.flatMap((name) => {
    const of = <T extends { readonly backend: string }>(all: readonly T[]): T[] =>
      all.filter(({ backend }) => backend === name);
    return [...of(figures), ...rankedGoals(of(rows)), ...flatnessGoals(of(rows))];
  });
  return { rows, goals: [...own, ...goals], sections };
}

function rowsIn(series: readonly Series[]): Row[] {
  const workloads = Map.groupBy(series, ({ head }) => `${head.backend}: ${head.id}`);
  return [...workloads.values()].flatMap((passes) => {
    const [{ head }] = passes as [Series, ...Series[]];
    return rowsOf(
      head,
      passes.map(({ costs }) => costs),
    );
  });
}

/** Of a goal in several passes, one figure. */
function figuresIn(sampled: readonly Sampled[]): Figure[] {
  const goals = Map.groupBy(sampled, ({ backend, title }) => `${backend}: ${title}`);
  return [...goals.values()].flatMap((passes) => {
    const [first] = passes as [Sampled, ...Sampled[]];
    const values = passes.flatMap((pass) => pass.values);
    return values.length === 0 ? [] : [figureOf({ ...first, values })];
  });
}
