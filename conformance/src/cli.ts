#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { breaking } from './case/broken.ts';
import type { CaseResult } from './case/outcome.ts';
import { type AnySubject, loadSubject } from './case/subject.ts';
import { casesOf, everyCase } from './cases/index.ts';
import { type Arguments, firstLine, help, readArguments, UsageError } from './command/arguments.ts';
import { closingLines, listLine, progressLine } from './command/output.ts';
import { toMarkdown } from './report/markdown.ts';
import { preflight } from './runner/preflight.ts';
import { runSuite } from './runner/run.ts';

/** The exit codes that a shell reports for a process ended by SIGINT or SIGPIPE. */
const interruptedCode = 130;
const closedPipeCode = 141;

/** Ends the run early, and everything that it opened and started. */
class Ending extends AbortController {
  code: number | null = null;

  end(code: number): void {
    // A second signal ends the process at once.
    if (this.code !== null) process.exit(code);
    this.code = code;
    this.abort(new Error('the run was ended'));
  }
}

const ending = new Ending();
process.on('SIGINT', () => ending.end(interruptedCode));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  // The reader is gone, and every further line would cause this error again.
  if (ending.code === null) ending.end(closedPipeCode);
});

async function subjectAt({ module, broken }: Arguments): Promise<AnySubject> {
  try {
    const subject = await loadSubject(module);
    return broken === undefined ? subject : breaking(subject, broken);
  } catch (error) {
    throw new UsageError(`cannot load the subject: ${firstLine(error)}`);
  }
}

function progress(result: CaseResult): void {
  const line = progressLine(result);
  if (line !== null) console.log(line);
}

async function list({ module, filter, ...given }: Arguments): Promise<number> {
  const cases = module === '' ? everyCase : casesOf(await subjectAt({ module, filter, ...given }));
  for (const one of cases.filter(filter)) console.log(listLine(one));
  return 0;
}

async function run(given: Arguments): Promise<number> {
  const { json, markdown, looksFirst, seed, concurrency, timeoutMs, effort, filter } = given;
  const subject = await subjectAt(given);
  if (looksFirst) await preflight(subject);
  const { signal } = ending;
  const options = { seed, concurrency, timeoutMs, effort, filter, signal, onResult: progress };
  const begin = performance.now();
  const report = await runSuite(subject, options);
  const wallMs = performance.now() - begin;
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, toMarkdown(report));
  console.log(closingLines({ ...report, wallMs }));
  return ending.code ?? (report.result === 'failed' ? 1 : 0);
}

async function main(argv: readonly string[]): Promise<number> {
  const given = readArguments(argv);
  switch (given.action) {
    case 'help':
      console.log(help);
      return 0;
    case 'list':
      return list(given);
    case 'run':
      return run(given);
  }
}

async function exitCode(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    console.error(`mempool-conformance: ${firstLine(error)}`);
    return 2;
  }
}

const code = await exitCode(process.argv.slice(2));
// A store that leaves something open must not keep the command running. A slow reader may, until it has all lines.
process.stdout.write('', () => process.exit(code));
