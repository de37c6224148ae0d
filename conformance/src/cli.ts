#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ConformanceCase } from './case.ts';
import { allCases } from './cases/index.ts';
import { toMarkdown } from './markdown.ts';
import { writtenId } from './ordering.ts';
import type { CaseResult } from './outcome.ts';
import type { Report } from './report.ts';
import { newSeed, runSuite } from './run.ts';
import { type AnySubject, loadSubject } from './subject.ts';

const usage =
  'usage: mempool-conformance <subject.js> [--json <file>] [--markdown <file>] [--seed <n>] [--only <rule>]';

/** A mistake of the caller: told in one line, exit code 2. */
class UsageError extends Error {}

interface Arguments {
  readonly module: string;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly seed: number;
  readonly only: string | undefined;
}

function readArguments(argv: readonly string[]): Arguments {
  const text = { type: 'string' } as const;
  const options = { json: text, markdown: text, seed: text, only: text };
  const { values, positionals } = orUsage(() => parseArgs({ args: [...argv], options, allowPositionals: true }));
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError(usage);
  const { json, markdown, only } = values;
  return { module: pathToFileURL(resolve(file)).href, json, markdown, seed: seedOf(values.seed), only };
}

function orUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${firstLine(error)}; ${usage}`);
  }
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return newSeed();
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > 0xffff_ffff) throw new UsageError('--seed must be an integer of 0–4294967295');
  return seed;
}

/** A rule, as in `L2`, or one case, as in `L2/racing`, on pools of both orderings, or on one, as in `L2/racing@priority`. */
function chosen(only: string | undefined): (one: ConformanceCase) => boolean {
  if (only === undefined) return () => true;
  const filter = (one: ConformanceCase): boolean => [one.rule, one.id, writtenId(one)].includes(only);
  if (!allCases.some(filter)) throw new UsageError(`--only ${only}: no rule and no case has this name`);
  return filter;
}

async function subjectAt(module: string): Promise<AnySubject> {
  try {
    return await loadSubject(module);
  } catch (error) {
    throw new UsageError(`cannot load the subject: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function progress(result: CaseResult): void {
  const line = progressLine(result);
  if (line !== null) console.log(line);
}

function progressLine({ case: { id, level, title }, outcome, durationMs }: CaseResult): string | null {
  switch (outcome.kind) {
    case 'passed':
      return `passed       ${id} (${Math.round(durationMs)} ms)`;
    case 'failed':
      return `failed       ${id} (${level}): ${title}\n${indented(outcome.error)}`;
    case 'known-gap':
      return `known gap    ${id} (${level}): ${outcome.reason}`;
    case 'unsupported':
      return `unsupported  ${id}: needs ${outcome.missing.join(', ')}`;
    case 'skipped':
      return null;
  }
}

function indented({ message }: Error): string {
  return message.replace(/^/gm, '    ');
}

function closingLines({ subject, result, seed, counts, profiles }: Report): string {
  const inProfiles = Object.entries(profiles).map(([name, { passed }]) => `${name} ${passed}`);
  const told = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return `\n${subject}: ${result} (${told.join(', ')}; passed by profile: ${inProfiles.join(', ')}; seed ${seed})`;
}

async function main(argv: readonly string[]): Promise<number> {
  const { module, json, markdown, seed, only } = readArguments(argv);
  const filter = chosen(only);
  const report = await runSuite(await subjectAt(module), { seed, filter, onResult: progress });
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, toMarkdown(report));
  console.log(closingLines(report));
  return report.result === 'failed' ? 1 : 0;
}

async function exitCode(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    console.error(`mempool-conformance: ${firstLine(error)}`);
    return 2;
  }
}

// A store that leaves something open must not keep the command from ending.
process.exit(await exitCode(process.argv.slice(2)));
