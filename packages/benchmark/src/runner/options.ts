import { parseArgs } from 'node:util';
import { type BackendName, backendNames } from '../limits/backend.ts';

export const usage: string = `npm run bench -- [options]
  --full              also n = 1,000,000
  --only <backend>    one of ${backendNames.join(', ')}
  --n <count>         two other sizes: this many, and 1,000 (a tenth of it where that is less)
  --rounds <count>    rounds of every row; fewer than 7 are for a quick look, and 1 does not even warm up
  --row <text>        only rows and goals whose title has this text in it, or that have it as their id in latest.json
  --check <file>      compares the ratios with those of a stored run; exit code 1 where one got worse
  --out <folder>      where latest.md and latest.json go; a whole run replaces those of the package`;

const usualPasses = 3;

export interface Options {
  readonly sizes: readonly number[];
  readonly backends: readonly BackendName[];
  readonly passes: number;
  readonly rounds: number | undefined;
  readonly row: string | undefined;
  readonly check: string | undefined;
  readonly out: string | undefined;
  /** A run without omissions, whose figures may be quoted. */
  readonly whole: boolean;
  readonly help: boolean;
}

/** @throws Error naming the argument that is wrong */
export function readOptions(args: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const texts = { n: text, rounds: text, only: text, row: text, check: text, out: text } as const;
  const { values } = parseArgs({ args: [...args], options: { help: flag, full: flag, ...texts } });
  const { full, only, row, check, out, help } = values;
  const n = count('--n', values.n, 10);
  const rounds = count('--rounds', values.rounds, 1);
  const passes = full ? 1 : usualPasses;
  if (n !== undefined && full) throw new Error('--n and --full name different sizes: give one of them');
  const whole = [only, n, row, rounds].every((value) => value === undefined);
  return {
    sizes: sizesOf(n, full),
    backends: backends(only),
    // A pass has at least one round of every row.
    passes: Math.min(passes, rounds ?? passes),
    ...{ rounds, row, check, out, whole, help },
  };
}

function sizesOf(n: number | undefined, full: boolean): number[] {
  if (n !== undefined) return [n > 1_000 ? 1_000 : Math.ceil(n / 10), n];
  return full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000];
}

/** @throws Error where it is no whole number of at least `least` */
export function count(option: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${option} must be a whole number of at least ${least}`);
  return value;
}

function backends(only: string | undefined): readonly BackendName[] {
  if (only === undefined) return backendNames;
  const found = backendNames.find((name) => name === only);
  if (found === undefined) throw new Error(`--only must be one of ${backendNames.join(', ')}`);
  return [found];
}
