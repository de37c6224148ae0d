// After vitest's own summary: the numbers of the run, for people and for `.ci/run`, and the conformance cases per backend.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { root } from './pack.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Numbers extends Counts {
  /** The failures, with the first lines of their errors: `.ci/run` repeats them at its end, where people look. */
  failures: string[];
}

interface Failure {
  readonly message: string;
}

const because = (errors: readonly Failure[] | undefined) =>
  (errors ?? []).map(({ message }) => message.split('\n').slice(0, 12).join('\n  ')).join('\n  ');

function count(tests: readonly TestCase[], errors: number): Counts {
  const numbers = { passed: 0, failed: errors, skipped: 0 };
  for (const test of tests) {
    const { state } = test.result();
    numbers[state === 'pending' ? 'failed' : state] += 1;
  }
  return numbers;
}

// The suite's vitest binding names its subject in the meta of each case.
function bySubject(tests: readonly TestCase[]): Map<string, TestCase[]> {
  const subjects = new Map<string, TestCase[]>();
  for (const test of tests) {
    const { conformance } = test.meta() as { conformance?: { subject: string } };
    if (conformance) subjects.set(conformance.subject, [...(subjects.get(conformance.subject) ?? []), test]);
  }
  return subjects;
}

function failuresOf(tests: readonly TestCase[], modules: readonly TestModule[], errors: readonly Failure[]): string[] {
  const failed = tests.filter((test) => !['passed', 'skipped'].includes(test.result().state));
  return [
    ...failed.map((test) => `${test.module.relativeModuleId} > ${test.fullName}\n  ${because(test.result().errors)}`),
    ...modules.map((module) => `${module.relativeModuleId}\n  ${because(module.errors())}`),
    ...errors.map((error) => `outside the tests\n  ${because([error])}`),
  ];
}

const line = ({ passed, failed, skipped }: Counts) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

export default class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const unloaded = modules.filter((module) => module.errors().length > 0);
    const counts = count(tests, unhandledErrors.length + unloaded.length);
    const numbers: Numbers = { ...counts, failures: failuresOf(tests, unloaded, unhandledErrors) };
    mkdirSync(join(root, '.data'), { recursive: true });
    writeFileSync(join(root, '.data', 'test-numbers.json'), `${JSON.stringify(numbers)}\n`);
    for (const [subject, cases] of bySubject(tests))
      console.log(`Conformance cases, ${subject}: ${line(count(cases, 0))}`);
    console.log(`Tests: ${line(counts)}`);
  }
}
