import assert from 'node:assert/strict';
import { allCases, type ConformanceCase } from 'mempool-conformance';
import { createElection } from 'mempool-election';
import { describe, expect, test } from 'vitest';
import { fifo } from './mutants/fifo-operators.ts';
import { allMutants } from './mutants/index.ts';
import { electing, over } from './mutants/lease-operators.ts';
import type { Mutant } from './mutants/mutant.ts';
import { priority } from './mutants/priority-operators.ts';
import { pools, stores } from './mutants/store-operators.ts';
import { isKilled, isSupported, passes } from './mutants/verdict.ts';
import { faults } from './planted/subject.ts';

const byId = new Map<string, ConformanceCase>(allCases.map((one) => [one.id, one]));

function caseOf(id: string): ConformanceCase {
  const one = byId.get(id);
  assert.ok(one, `there is no case ${id}`);
  return one;
}

describe('every planted fault is noticed by the cases that name its rule', () => {
  // Those of elections wait for leases to run out, so that some can do so at the same time.
  for (const mutant of allMutants)
    test(`${mutant.id} is killed`, { concurrent: mutant.election !== undefined }, async () => {
      assert.ok(mutant.kills.length > 0);
      const survived: string[] = [];
      for (const id of mutant.kills) if (!(await isKilled(mutant, caseOf(id)))) survived.push(id);
      assert.deepEqual(survived, []);
    });
});

/** The cases that must notice a fault of this kind: those that what it is planted in must pass. */
function casesOf(isMeant: (mutant: Mutant) => boolean): ConformanceCase[] {
  const ids = new Set(allMutants.filter(isMeant).flatMap(({ kills }) => kills));
  return allCases.filter(({ id }) => ids.has(id));
}

const isOfElection = ({ election }: Mutant): boolean => election !== undefined;
const isOfPriority = (mutant: Mutant): boolean => !isOfElection(mutant) && mutant.backend.capabilities.priority;
const isOfArrivals = (mutant: Mutant): boolean => !isOfElection(mutant) && !isOfPriority(mutant);

describe('what the faults are planted in has none itself', () => {
  const inPriority = casesOf(isOfPriority);
  const inArrivals = casesOf(isOfArrivals);
  const sound = [
    { subject: fifo.plant('sound-driver', () => ({})), cases: inArrivals },
    { subject: stores.plant('sound-store', () => ({})), cases: inArrivals },
    {
      subject: priority.faults('sound-priority-driver', { see: () => ({}), decide: (step) => step }),
      cases: inPriority,
    },
    { subject: pools.plant('sound-priority-store', () => ({})), cases: inPriority },
  ];
  test.each(sound)(
    '$subject.id passes the cases that must notice a fault',
    { timeout: 240_000 },
    async ({ subject, cases }) => {
      expect(cases.length).toBeGreaterThan(300);
      const failed: string[] = [];
      for (const one of cases) if (isSupported(subject, one) && !(await passes(subject, one))) failed.push(one.id);
      assert.deepEqual(failed, []);
    },
  );

  test('sound-election passes every case of an election', { timeout: 240_000 }, async () => {
    const subject = electing('sound-election', {
      leases: (store) => ({ ...store }),
      source: (source) => ({ ...source }),
      pool: () => ({}),
      elect: (provider, options) => over(createElection(provider, options), () => ({})),
    });
    const failed: string[] = [];
    const cases = allCases.filter(({ needs = [] }) => needs.includes('election'));
    for (const one of cases) if (isSupported(subject, one) && !(await passes(subject, one))) failed.push(one.id);
    assert.deepEqual(failed, []);
  });
});

test('every MUST case kills a mutant', () => {
  const killing = new Set([...allMutants, ...faults].flatMap(({ kills }) => kills));
  const written = allCases.filter(({ ordering, level }) => ordering === undefined && level === 'MUST');
  const idle = written.filter(({ id }) => !killing.has(id)).map(({ id }) => id);
  assert.deepEqual(idle, []);
});

test('no two mutants have the same id', () => {
  const ids = allMutants.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
