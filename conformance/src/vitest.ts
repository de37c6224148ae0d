import { afterAll, describe, test } from 'vitest';
import type { ConformanceCase, Subject } from './case.ts';
import { allCases } from './cases/index.ts';
import { type CaseResult, missingNeeds } from './outcome.ts';
import { type CaseOptions, defaultTimeoutMs, newSeed, runCase } from './run.ts';

export interface BindingOptions extends CaseOptions {
  /** Default: every case of the kit. */
  readonly cases?: readonly ConformanceCase[] | undefined;
}

/** The end of a case is bounded too, so vitest's own limit must come last. */
const endingMs = 60_000;

/** Makes each case one vitest test; cases that the backend's capabilities rule out are named at the end, not skipped. */
export function testMempoolStore(subject: Subject, options: BindingOptions = {}): void {
  const { cases = allCases, seed = newSeed(), timeoutMs = defaultTimeoutMs } = options;
  const unsupported = cases.filter((one) => missingNeeds(one, subject).length > 0);
  const supported = cases.filter((one) => !unsupported.includes(one));
  describe(`conformance of ${subject.name}`, () => {
    for (const one of supported)
      test(`${one.id}: ${one.title}`, { timeout: timeoutMs + endingMs }, async ({ task }) => {
        Object.assign(task.meta, { conformance: { subject: subject.name } });
        throwIfFailed(await runCase(subject, one, { seed, timeoutMs }), seed);
      });
    afterAll(() => console.log(closingLines(subject, supported.length, unsupported, seed)));
  });
}

function throwIfFailed({ case: one, outcome }: CaseResult, seed: number): void {
  if (outcome.kind !== 'failed') return;
  throw new Error(`${one.id} (${one.level}, rule ${one.rule}, seed ${seed})`, { cause: outcome.error });
}

function closingLines({ name }: Subject, run: number, unsupported: readonly ConformanceCase[], seed: number): string {
  const ids = unsupported.map(({ id }) => id).join(', ');
  const ruledOut = unsupported.length === 0 ? '' : `\n  unsupported by its capabilities: ${ids}`;
  return `${name}: ${run} conformance cases run, ${unsupported.length} unsupported, seed ${seed}${ruledOut}`;
}
