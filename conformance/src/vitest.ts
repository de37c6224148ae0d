import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { ConformanceCase, ElectionSubject, LedgerSubject, Subject } from './case/case.ts';
import { writtenId } from './case/ordering.ts';
import { type CaseResult, reasonNotToRun } from './case/outcome.ts';
import { type AnySubject, wholeSubject } from './case/subject.ts';
import { casesOf } from './cases/index.ts';
import { makeReport, profileOf, type Report } from './report/report.ts';
import { type BindingOptions, caseTests } from './runner/case-test.ts';
import { limitOf } from './runner/limits.ts';
import { preflight } from './runner/preflight.ts';
import { newSeed } from './runner/run.ts';

export type { BindingOptions } from './runner/case-test.ts';

/** The end of a case is bounded too, so vitest's own limit must come last. */
const endingMs = 60_000;

/**
 * Makes one vitest test of each case. Cases that the backend's capabilities rule out are listed at the end, not skipped. If the
 * environment has `MEMPOOL_CONFORMANCE_REPORTS`, the report is written to that folder as `<subject>.json`.
 */
export function testMempoolStore(subject: Subject, options: BindingOptions = {}): void {
  testSubject(subject, options);
}

/** Like `testMempoolStore`, for an election without a mempool. */
export function testElection(subject: ElectionSubject, options: BindingOptions = {}): void {
  testSubject(subject, options);
}

/** Like `testMempoolStore`, for the backend of a ledger. */
export function testLedger(subject: LedgerSubject, options: BindingOptions = {}): void {
  testSubject(subject, options);
}

function testSubject(given: AnySubject, options: BindingOptions): void {
  const subject = wholeSubject(given);
  const { cases = casesOf(given), seed = newSeed(), timeoutMs = limitOf('timeoutMs'), onResult } = options;
  const results = new Map<ConformanceCase, CaseResult>(cases.map((one) => [one, notRun(one, subject)]));
  const note = (result: CaseResult): void => {
    results.set(result.case, result);
    onResult?.(result);
  };
  describe(`conformance of ${subject.name}`, () => {
    beforeAll(() => preflight(given));
    // Cases of an election wait for leases to run out: several at once take as long as one.
    for (const { case: one, title, run } of caseTests(subject, { ...options, cases, seed, timeoutMs, onResult: note }))
      (profileOf(one) === 'election' ? test.concurrent : test)(
        title,
        { timeout: timeoutMs + endingMs },
        async ({ task }) => {
          Object.assign(task.meta, { conformance: { subject: subject.name } });
          await run();
        },
      );
    afterAll(() => {
      const report = makeReport(subject, seed, [...results.values()]);
      console.log(closingLines(report));
      writeReport(report, process.env.MEMPOOL_CONFORMANCE_REPORTS);
    });
  });
}

function notRun(one: ConformanceCase, subject: Subject): CaseResult {
  return { case: one, outcome: reasonNotToRun(one, subject) ?? { kind: 'skipped' }, durationMs: 0 };
}

function closingLines({ subject, seed, counts, cases }: Report): string {
  const run = counts.passed + counts.failed + counts['known-gap'];
  const head = `${subject}: ${run} conformance cases run, ${counts.unsupported} unsupported, seed ${seed}`;
  const ruledOut = cases.filter(({ outcome }) => outcome === 'unsupported');
  const named = ruledOut.filter((one) => writtenId(one) === one.id).map(({ id }) => id);
  const again = ruledOut.length - named.length;
  const lines = [
    ...(named.length > 0 ? [`  unsupported by what it claims to be: ${named.join(', ')}`] : []),
    ...(counts['by-core'] > 0
      ? [`  shown of core's boundary, which made every store: ${counts['by-core']} cases`]
      : []),
    ...(again > 0 ? [`  unsupported on pools by priority: ${again} cases (…@priority)`] : []),
  ];
  return [head, ...lines].join('\n');
}

function writeReport(report: Report, folder: string | undefined): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${report.subject}.json`), `${JSON.stringify(report, null, 2)}\n`);
}
