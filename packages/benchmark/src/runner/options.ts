import { parseArgs } from 'node:util';
import { type BackendName, backendNames } from '../backends/backend.ts';

export const usage: string = `npm run bench -- [options]
  --full              also n = 1,000,000, and the SQLite file of one process at that size
  --only <what>       one backend: ${backendNames.join(', ')}; or only the peers
  --peers             what others offer beside ours, in a run that is not whole too: installs them, which needs a network
  --no-peers          leaves them out of a whole run
  --n <count>         two other sizes: this many, and 1,000 (a tenth of it where that is less)
  --passes <count>    how often everything is measured, in processes of their own, which share the rounds (default 2,
                      of the peers 1; 1 with --full)
  --rounds <count>    rounds of every row; fewer than 7 are for a quick look, and 1 does not even warm up
  --row <text>        only rows and goals whose title has this text in it, or that have it as their id in latest.json
  --subject <path>    a backend of your own beside ours: the module that the conformance kit takes
  --against <path>    only pools in order of arrival, beside those of another checkout of this project, installed there
  --check <file>      compares the ratios with those of a stored run; exit code 1 where one got worse
  --out <folder>      where latest.md, latest.json and latest.svg go; a whole run replaces those of the package`;

const onlyPeers = 'peers';

export interface Options {
  readonly sizes: readonly number[];
  readonly backends: readonly BackendName[];
  readonly full: boolean;
  /** Of everything; without it each part has its own. */
  readonly passes: number | undefined;
  readonly rounds: number | undefined;
  readonly row: string | undefined;
  readonly subject: string | undefined;
  /** Another checkout: its pools in order of arrival beside ours, and nothing else. */
  readonly against: string | undefined;
  readonly check: string | undefined;
  readonly out: string | undefined;
  /** What others offer runs beside ours. */
  readonly peers: boolean;
  /** Nothing was left out: its figures may be quoted. */
  readonly whole: boolean;
  readonly help: boolean;
}

/** @throws Error naming the argument that is wrong */
export function readOptions(given: readonly string[]): Options {
  const values = parsed(given);
  const { full, only, row, subject, against, check, out, help } = values;
  const n = count('--n', values.n, 10);
  const rounds = count('--rounds', values.rounds, 1);
  const passes = count('--passes', values.passes, 1) ?? (full ? 1 : undefined);
  if (n !== undefined && full) throw new Error('--n and --full name different sizes: give one of them');
  if (against !== undefined && subject !== undefined)
    throw new Error('--against and --subject are different runs: give one of them');
  const part = [only, n, row, subject, against, rounds, values.passes].some((value) => value !== undefined);
  const whole = values.peers !== false && !part;
  const peers = values.peers ?? (whole || only === onlyPeers);
  const what = { sizes: sizesOf(n, full), backends: backends(only), full, passes, rounds, row, subject, against };
  return { ...what, check, out, peers, whole, help };
}

/** A number below 0 is a value that is wrong, not another option. */
function tied(given: readonly string[]): string[] {
  const args: string[] = [];
  for (const arg of given) {
    if (/^-\d/.test(arg) && /^--[a-z]+$/.test(args.at(-1) ?? '')) args.push(`${args.pop()}=${arg}`);
    else args.push(arg);
  }
  return args;
}

function parsed(given: readonly string[]) {
  return parseArgs({
    args: tied(given),
    options: {
      full: { type: 'boolean', default: false },
      only: { type: 'string' },
      n: { type: 'string' },
      passes: { type: 'string' },
      rounds: { type: 'string' },
      row: { type: 'string' },
      subject: { type: 'string' },
      against: { type: 'string' },
      check: { type: 'string' },
      out: { type: 'string' },
      peers: { type: 'boolean' },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  }).values;
}

function sizesOf(n: number | undefined, full: boolean): number[] {
  if (n !== undefined) return [n > 1_000 ? 1_000 : Math.ceil(n / 10), n];
  return full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000];
}

function count(option: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${option} must be a whole number of at least ${least}`);
  return value;
}

function backends(only: string | undefined): readonly BackendName[] {
  if (only === undefined) return backendNames;
  if (only === onlyPeers) return [];
  const found = backendNames.find((name) => name === only);
  if (found === undefined) throw new Error(`--only must be one of ${[...backendNames, onlyPeers].join(', ')}`);
  return [found];
}
