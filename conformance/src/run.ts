import type { ConformanceCase, Subject } from './case.ts';
import { casesOf } from './cases/index.ts';
import { type CaseOutcome, type CaseResult, missingNeeds } from './outcome.ts';
import { makeReport, type Report } from './report.ts';
import { CaseScope } from './scope.ts';
import { type AnySubject, wholeSubject } from './subject.ts';

export interface CaseOptions {
  /** Equal seeds give equal cases; default: one of chance, told in the report. */
  readonly seed?: number | undefined;
  /** How long one case may take, in milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined;
}

export interface SuiteOptions extends CaseOptions {
  /** Default: every case of the kit; for an election alone, those of elections. */
  readonly cases?: readonly ConformanceCase[] | undefined;
  /** Cases for which it answers `false` are `skipped`; a skipped MUST makes the result `partial`. */
  readonly filter?: ((conformanceCase: ConformanceCase) => boolean) | undefined;
  /** Cases that run at the same time; default 1. */
  readonly concurrency?: number | undefined;
  /** Called after every case. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

export const defaultTimeoutMs = 30_000;

export function newSeed(): number {
  return Math.floor(Math.random() * 0x1_0000_0000);
}

/** Runs every case against a subject, each on a pool of its own. It never rejects because of a subject's fault. */
export async function runSuite(given: AnySubject, options: SuiteOptions = {}): Promise<Report> {
  const subject = wholeSubject(given);
  const { cases = casesOf(given), filter = () => true, concurrency = 1, seed = newSeed(), onResult } = options;
  const results: CaseResult[] = [];
  const waiting = cases.entries();
  const worker = async (): Promise<void> => {
    for (const [i, one] of waiting) {
      const result = filter(one) ? await runCase(subject, one, { ...options, seed }) : skip(one);
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
  { seed = newSeed(), timeoutMs = defaultTimeoutMs }: CaseOptions = {},
): Promise<CaseResult> {
  const subject = wholeSubject(given);
  const missing = missingNeeds(one, subject);
  if (missing.length > 0) return { case: one, outcome: { kind: 'unsupported', missing }, durationMs: 0 };
  const begin = performance.now();
  const error = await attempt(subject, one, caseSeed(seed, one.id), timeoutMs);
  const outcome = judge(error, subject.knownGaps?.[one.id]);
  return { case: one, outcome, durationMs: performance.now() - begin };
}

function judge(error: Error | null, gap: string | undefined): CaseOutcome {
  if (gap === undefined) return error === null ? { kind: 'passed' } : { kind: 'failed', error };
  if (error !== null) return { kind: 'known-gap', reason: gap, error };
  return { kind: 'failed', error: new Error(`passes, though it is a known gap: ${gap}`) };
}

async function attempt(subject: Subject, one: ConformanceCase, seed: number, timeoutMs: number): Promise<Error | null> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`not done after ${timeoutMs} ms`)), timeoutMs);
  const scope = new CaseScope(subject, one, seed, limit.signal);
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
  }
  faults.push(...(await scope.end()));
  return faults.length === 0 ? null : asError(faults[0]);
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
