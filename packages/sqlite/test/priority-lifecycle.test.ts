import { caseTests } from 'mempool-conformance';
import { describe, test } from 'vitest';
import { lifecycleCases, prioritized } from '../../../conformance/test/prioritized.ts';
import { subject } from './shared-subject.ts';

describe('a pool by priority keeps every rule of a pool in order of arrival', () => {
  for (const { title, run } of caseTests(prioritized(subject), { cases: lifecycleCases }))
    test(title, { timeout: 90_000 }, run);
});
