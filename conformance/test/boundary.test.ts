import { allCases, type ConformanceCase, type Report, runSuite, type Subject } from 'mempool-conformance';
import { breaking } from 'mempool-conformance/broken';
import { expect, test } from 'vitest';
import { matrix } from '../src/report/matrix.ts';
import { subject } from './fixtures/subject.ts';

const ofCore: Subject = { ...subject, name: 'of-core', boundary: 'core' };
const cases = allCases.filter(({ rule, ordering }) => ['M2', 'R2', 'P17'].includes(rule) && ordering === undefined);
const atBoundary = cases.filter(({ boundary }) => boundary === true);

function run(one: Subject, chosen: readonly ConformanceCase[]): Promise<Report> {
  return runSuite(one, { cases: chosen, seed: 1 });
}

test('a subject whose stores core makes passes a sample; the other cases of the boundary count as shown by core', async () => {
  const report = await run(ofCore, cases);
  expect(report).toMatchObject({ result: 'passed', counts: { failed: 0, 'by-core': atBoundary.length } });
  const passed = report.cases.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id);
  expect(passed).toEqual(expect.arrayContaining(['M2/hashes', 'P17/limits', 'P17/closed']));
});

test('a subject that does not say so runs every case of the boundary', async () => {
  const { counts } = await run(subject, atBoundary);
  expect(counts).toMatchObject({ passed: atBoundary.length, 'by-core': 0 });
});

test('a store that wraps one of core fails the case that opens it', async () => {
  const wrapping: Subject = { ...ofCore, open: async (pool, options) => ({ ...(await ofCore.open(pool, options)) }) };
  const { cases: reported } = await run(wrapping, cases.slice(0, 1));
  expect(reported[0]).toMatchObject({ outcome: 'failed', error: expect.stringContaining('without it') });
});

test('a store that is broken on purpose runs every case again', async () => {
  const report = await run(breaking(ofCore, 'pages-in-no-order'), atBoundary.slice(0, 3));
  expect(report.counts).toMatchObject({ passed: 3, 'by-core': 0 });
});

test('the matrix wants every case that one column leaves to core passed in another', async () => {
  const [left, shown] = [await run(ofCore, atBoundary.slice(0, 3)), await run(subject, atBoundary.slice(0, 3))];
  expect(matrix([shown, left])).toContain('3 by core');
  expect(() => matrix([left])).toThrow(atBoundary[0]?.id);
});
