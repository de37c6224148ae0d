import { allCases, caseTests } from 'mempool-conformance';
import { describe, test } from 'vitest';
import { subject } from './lifecycle-subject.ts';

/** The rules of priority, and of elections, have cases that ask for their own kind of pool. */
const cases = allCases.filter(({ rule }) => !rule.startsWith('P') && !rule.startsWith('LE'));

describe('a priority pool where all pay the same keeps every rule of the lifecycle', () => {
  for (const { title, run } of caseTests(subject, { cases })) test(title, { timeout: 120_000 }, run);
});
