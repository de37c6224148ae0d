// After vitest's own summary: the numbers of the run, for people and for `.ci/run`, and the conformance cases per backend.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { root } from './pack.ts';

interface Numbers {
  passed: number;
  failed: number;
  skipped: number;
}

function count(tests: readonly TestCase[], errors: number): Numbers {
  const numbers: Numbers = { passed: 0, failed: errors, skipped: 0 };
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

const line = ({ passed, failed, skipped }: Numbers) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

export default class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const unloaded = modules.filter((module) => module.errors().length > 0).length;
    const numbers = count(tests, unhandledErrors.length + unloaded);
    mkdirSync(join(root, '.data'), { recursive: true });
    writeFileSync(join(root, '.data', 'test-numbers.json'), `${JSON.stringify(numbers)}\n`);
    for (const [subject, cases] of bySubject(tests))
      console.log(`Conformance cases, ${subject}: ${line(count(cases, 0))}`);
    console.log(`Tests: ${line(numbers)}`);
  }
}
