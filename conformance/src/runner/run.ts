import type { ConformanceCase, Subject } from '../case/case.ts';
import { type CaseOutcome, type CaseResult, reasonNotToRun } from '../case/outcome.ts';
import { type AnySubject, wholeSubject } from '../case/subject.ts';
import { casesOf } from '../cases/index.ts';
import { makeReport, type Report } from '../report/report.ts';
import { limitOf } from './limits.ts';
import { comparisonOf } from './recording.ts';
import { CaseScope } from './scope.ts';

export interface CaseOptions {
  /** Equal seeds give equal cases. Default: a random seed, which the report names. */
  readonly seed?: number | undefined;
  /** How long one case may take, in milliseconds; default `MEMPOOL_CONFORMANCE_TIMEOUT_MS` of the environment, else 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Factor for the number of kills, aborts and random rounds; default `MEMPOOL_CONFORMANCE_EFFORT`, else 1. */
  readonly effort?: number | undefined;
  /** If it aborts, the present case ends, with everything that it has opened and started. */
  readonly signal?: AbortSignal | undefined;
}

export interface SuiteOptions extends CaseOptions {
  /** The cases to run. Default: every case; for an election alone, the cases of elections. */
  readonly cases?: readonly ConformanceCase[] | undefined;
  /** Returns `false` to skip a case. A skipped MUST makes the result `partial`. */
  readonly filter?: ((conformanceCase: ConformanceCase) => boolean) | undefined;
  /** The number of cases that run at the same time; default 1. */
  readonly concurrency?: number | undefined;
  /** Called after every case. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

export function newSeed(): number {
  return Math.floor(Math.random() * 0x1_0000_0000);
}

/** Runs every case against a subject, each on its own pool. It never rejects because of a fault of the subject. */
export async function runSuite(given: AnySubject, options: SuiteOptions = {}): Promise<Report> {
  const subject = wholeSubject(given);
  const { cases = casesOf(given), filter = () => true, concurrency = 1, seed = newSeed(), signal, onResult } = options;
  const results: CaseResult[] = [];
  const waiting = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [i, one] of waiting) {
      const wanted = filter(one) && !signal?.aborted;
      const found = wanted ? await runCase(subject, one, { ...options, seed }) : skip(one);
      // A case that was interrupted says nothing of the subject.
      const result = signal?.aborted ? skip(one) : found;
      results[i] = result;
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return makeReport(subject, seed, results);
}

function skip(one: ConformanceCase): CaseResult {
  return { case: one, outcome: { kind: 'skipped' }, durationMs: 0 };
}

/** Runs one case. */
export async function runCase(
  given: AnySubject,
  one: ConformanceCase,
  { seed = newSeed(), ...options }: CaseOptions = {},
): Promise<CaseResult> {
  const subject = wholeSubject(given);
  const idle = reasonNotToRun(one, subject);
  if (idle !== null) return { case: one, outcome: idle, durationMs: 0 };
  const begin = performance.now();
  const fault = await attempt(subject, one, { ...options, seed: caseSeed(seed, one.id) });
  const outcome = judge(fault, subject.knownGaps?.[one.id]);
  return { case: one, outcome, durationMs: performance.now() - begin };
}

interface Fault {
  readonly error: Error;
  readonly details: readonly string[];
}

function judge(fault: Fault | null, gap: string | undefined): CaseOutcome {
  if (gap === undefined) return fault === null ? { kind: 'passed' } : { kind: 'failed', ...fault };
  if (fault !== null) return { kind: 'known-gap', reason: gap, ...fault };
  return { kind: 'failed', error: new Error(`passes, though it is a known gap: ${gap}`), details: [] };
}

async function attempt(
  subject: Subject,
  one: ConformanceCase,
  { seed = 0, timeoutMs = limitOf('timeoutMs'), effort = limitOf('effort'), signal }: CaseOptions,
): Promise<Fault | null> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`not done after ${timeoutMs} ms`)), timeoutMs);
  const stop = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  const scope = new CaseScope(subject, one, { seed, effort, signal: limit.signal });
  const late = new Promise<never>((_, reject) =>
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason)),
  );
  const faults: unknown[] = [];
  try {
    await Promise.race([one.run(scope.context), late]);
  } catch (error) {
    faults.push(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
  const lastCalls = scope.recording.lines();
  faults.push(...(await scope.end()));
  return faults.length === 0 ? null : { error: asError(faults[0]), details: detailsOf(faults[0], lastCalls) };
}

/** Details that the two different values do not show. */
function detailsOf(fault: unknown, lastCalls: readonly string[]): string[] {
  const comparison = comparisonOf(fault);
  const compared = comparison === null ? [] : [`compared by: ${comparison}`];
  return lastCalls.length === 0 ? compared : [...compared, 'the last calls:', ...lastCalls.map((line) => `  ${line}`)];
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(`thrown: ${String(fault)}`);
}

/** FNV-1a of the id on top of the suite's seed: a case has the same numbers whether it runs alone or among others. */
function caseSeed(seed: number, id: string): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0;
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
