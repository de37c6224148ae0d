import { allCases, runSuite } from 'mempool-conformance';
import { breaking, brokenStores } from 'mempool-conformance/broken';
import { expect, test } from 'vitest';
import { subject as election } from './fixtures/directory-leases.ts';
import { subject } from './fixtures/subject.ts';

test.each(brokenStores)('a store with the fault $id fails $noticedBy, which passes without it', async (fault) => {
  const cases = allCases.filter(({ id }) => id === fault.noticedBy);
  expect((await runSuite(breaking(subject, fault.id), { cases })).counts).toMatchObject({ failed: 1 });
  expect((await runSuite(subject, { cases })).counts).toMatchObject({ passed: 1, failed: 0 });
});

test('a fault that does not exist, and a subject without stores, are refused', () => {
  expect(() => breaking(subject, 'nothing')).toThrow(/no fault is called nothing/);
  expect(() => breaking(election, 'takes-any-parent')).toThrow(/no stores to break/);
});
