import type { ConformanceCase } from '../case/case.ts';
import { type CaseResult, reasonNotToRun } from '../case/outcome.ts';
import { type AnySubject, wholeSubject } from '../case/subject.ts';
import { casesOf } from '../cases/index.ts';
import { type CaseOptions, newSeed, runCase } from './run.ts';

export interface BindingOptions extends CaseOptions {
  /** The cases to run. Default: every case; for an election alone, the cases of elections. */
  readonly cases?: readonly ConformanceCase[] | undefined;
  /** Called after every case. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

/** A case in a form for any test framework. */
export interface CaseTest {
  readonly case: ConformanceCase;
  readonly title: string;
  /** Runs the case. @throws Error if the subject fails it */
  run(): Promise<void>;
}

/** Returns the cases that a subject's capabilities allow, for any test framework. */
export function caseTests(given: AnySubject, options: BindingOptions = {}): CaseTest[] {
  const subject = wholeSubject(given);
  const { cases = casesOf(given), seed = newSeed(), onResult } = options;
  const supported = cases.filter((one) => reasonNotToRun(one, subject) === null);
  return supported.map((one) => ({
    case: one,
    title: `${one.id}${one.level === 'MUST' ? '' : ` (${one.level})`}: ${one.title}`,
    async run() {
      const result = await runCase(subject, one, { ...options, seed });
      onResult?.(result);
      throwIfFailed(result, seed);
    },
  }));
}

function throwIfFailed({ case: one, outcome }: CaseResult, seed: number): void {
  if (outcome.kind !== 'failed') return;
  const { message } = outcome.error;
  const head = `${one.id} (${one.level}, rule ${one.rule}, seed ${seed}): ${message}`;
  throw new Error([head, ...outcome.details].join('\n'), { cause: outcome.error });
}
