import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { brokenIds } from '../case/broken.ts';
import type { ConformanceCase } from '../case/case.ts';
import { writtenId } from '../case/ordering.ts';
import { everyCase } from '../cases/index.ts';
import { type Profile, profileNames, profileOf } from '../report/report.ts';
import { newSeed } from '../runner/run.ts';

/** A mistake of the caller. The program prints it as one line and exits with code 2. */
export class UsageError extends Error {}

/** `--thorough`. */
const thoroughEffort = 10;
const maxConcurrency = 64;

const shortUsage = 'usage: mempool-conformance <subject.js> [options]; --help lists them';

export const help: string = `usage: mempool-conformance <subject.js> [options]
       mempool-conformance --list [--only <name>] [--profile <name>]

Runs the cases of the mempool contract against the subject that the file exports, as default or as 'subject'.

  --only <name>         a rule, as L2, or a case, as L2/racing; again: that one too
  --profile <name>      ${profileNames.join(', ')}; again: that one too
  --list                prints the cases that would run, and runs none
  --seed <n>            equal seeds give equal cases; default: one of chance, which is printed
  --concurrency <n>     cases that run at the same time, 1–${maxConcurrency}; default 1
  --timeout <ms>        how long one case may take; default 30000
  --thorough            ${thoroughEffort} times as many kills, aborts and rounds of chance
  --no-preflight        runs the cases of a subject that the first look finds wrong
  --broken <fault>      plants a fault in the subject's stores, to see the suite fail: ${brokenIds.join(', ')}
  --json <file>         writes the report there
  --markdown <file>     writes the report for people there
  --help                prints this

Environment: MEMPOOL_CONFORMANCE_TIMEOUT_MS, MEMPOOL_CONFORMANCE_ENDING_MS (closing a case's stores; default 15000),
MEMPOOL_CONFORMANCE_EFFORT (--thorough is ${thoroughEffort}).

Ends with 0 when nothing failed, 1 when a case failed, 2 when it could not begin, 130 when it was interrupted.`;

const text = { type: 'string' } as const;
const several = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const options = {
  only: several,
  profile: several,
  list: flag,
  seed: text,
  concurrency: text,
  timeout: text,
  thorough: flag,
  'no-preflight': flag,
  broken: text,
  json: text,
  markdown: text,
  help: flag,
} as const;

export interface Arguments {
  /** The action. With `list` and `help`, no case runs. */
  readonly action: 'run' | 'list' | 'help';
  /** The URL of the subject's file; empty if none was given. */
  readonly module: string;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly seed: number;
  readonly concurrency: number;
  readonly timeoutMs: number | undefined;
  readonly effort: number | undefined;
  readonly looksFirst: boolean;
  readonly broken: string | undefined;
  readonly filter: (one: ConformanceCase) => boolean;
}

/** Parses the arguments of the command. @throws UsageError */
export function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = orUsage(() => parseArgs({ args: [...argv], options, allowPositionals: true }));
  const { help: asked = false, list = false, json, markdown, broken } = values;
  const action = asked ? 'help' : list ? 'list' : 'run';
  const [file, ...more] = positionals;
  if (more.length > 0 || (file === undefined && action === 'run')) throw new UsageError(shortUsage);
  if (broken !== undefined && !brokenIds.includes(broken))
    throw new UsageError(`--broken must be one of ${brokenIds.join(', ')}`);
  return {
    action,
    module: file === undefined ? '' : pathToFileURL(resolve(file)).href,
    json,
    markdown,
    broken,
    seed: whole('--seed', values.seed, 0, 0xffff_ffff) ?? newSeed(),
    concurrency: whole('--concurrency', values.concurrency, 1, maxConcurrency) ?? 1,
    timeoutMs: whole('--timeout', values.timeout, 1, 0x7fff_ffff),
    effort: values.thorough ? thoroughEffort : undefined,
    looksFirst: !values['no-preflight'],
    filter: chosen(values.only ?? [], profilesOf(values.profile ?? [])),
  };
}

function orUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${faultIn(error)}; ${shortUsage}`);
  }
}

/** What `parseArgs` says is wrong, without its advice. */
function faultIn(error: unknown): string {
  const [sentence = ''] = firstLine(error).split('. ');
  return sentence.replace(/^Option '(--[a-z-]+).*' argument (?:missing|is ambiguous)\.?$/, '$1 needs a value');
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function whole(name: string, given: string | undefined, min: number, max: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max)
    throw new UsageError(`${name} must be an integer of ${min}–${max}`);
  return value;
}

function profilesOf(names: readonly string[]): ReadonlySet<Profile> {
  const profiles = names.map((name) => {
    const profile = profileNames.find((one) => one === name);
    if (profile === undefined) throw new UsageError(`--profile ${name}: must be one of ${profileNames.join(', ')}`);
    return profile;
  });
  return new Set(profiles);
}

function namesOf(one: ConformanceCase): string[] {
  return [one.rule, one.id, writtenId(one)];
}

/** Rules, as `L2`, and cases, as `L2/racing` on both orderings or `L2/racing@priority`; of all profiles where none is named. */
function chosen(only: readonly string[], profiles: ReadonlySet<Profile>): (one: ConformanceCase) => boolean {
  for (const name of only)
    if (!everyCase.some((one) => namesOf(one).includes(name)))
      throw new UsageError(`--only ${name}: no rule and no case has this name`);
  const names = new Set(only);
  return (one) =>
    (names.size === 0 || namesOf(one).some((name) => names.has(name))) &&
    (profiles.size === 0 || profiles.has(profileOf(one)));
}
