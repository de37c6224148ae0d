import assert from 'node:assert/strict';
import { allCases, type ConformanceCase } from 'mempool-conformance';
import { createElection } from 'mempool-election';
import { describe, expect, test, vi } from 'vitest';
import { fifo } from './mutants/fifo-operators.ts';
import { allMutants } from './mutants/index.ts';
import { electing, over } from './mutants/lease-operators.ts';
import type { Mutant } from './mutants/mutant.ts';
import { priority } from './mutants/priority-operators.ts';
import { soundRemoving } from './mutants/removing.ts';
import { pools, stores } from './mutants/store-operators.ts';
import { isKilled, isSupported, passes } from './mutants/verdict.ts';
import { faults } from './planted/subject.ts';

const byId = new Map<string, ConformanceCase>(allCases.map((one) => [one.id, one]));

function caseOf(id: string): ConformanceCase {
  const one = byId.get(id);
  assert.ok(one, `there is no case ${id}`);
  return one;
}

/** What waits takes no part of a core, so that many can wait at the same time. */
vi.setConfig({ maxConcurrency: 16 });

/** These stop the thread, and with it every case that runs beside them. */
const stopping: readonly string[] = ['LE3/stalled', 'LE3/set-back'];
/** A case notices these faults by what never comes. Elections wait for leases to run out. */
const waitedFor: readonly string[] = [
  'abort-after-what-is-there',
  'close-closes-nothing',
  'keeps-ten-events',
  'marks-in-two-steps',
  'one-end-stops-all',
  'subscribes-when-first-read',
  'wakes-nobody',
];

function isWaiting({ id, election, kills }: Mutant): boolean {
  return waitedFor.includes(id) || (election !== undefined && !kills.some((kill) => stopping.includes(kill)));
}

describe('every planted fault is noticed by the cases that name its rule', () => {
  for (const mutant of [...allMutants.filter(isWaiting), ...allMutants.filter((one) => !isWaiting(one))])
    test(`${mutant.id} is killed`, { concurrent: isWaiting(mutant) }, async () => {
      assert.ok(mutant.kills.length > 0);
      const survived: string[] = [];
      for (const id of mutant.kills) if (!(await isKilled(mutant, caseOf(id)))) survived.push(id);
      assert.deepEqual(survived, []);
    });

  test('faults that are waited for are mutants', () => {
    const ids = allMutants.map(({ id }) => id);
    assert.deepEqual(
      waitedFor.filter((id) => !ids.includes(id)),
      [],
    );
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
      expect(cases.length).toBeGreaterThan(50);
      const failed: string[] = [];
      for (const one of cases) if (isSupported(subject, one) && !(await passes(subject, one))) failed.push(one.id);
      assert.deepEqual(failed, []);
    },
  );

  test('sound-removing passes the cases of removing', async () => {
    const cases = allCases.filter((one) => one.needs?.includes('remove') && isSupported(soundRemoving, one));
    expect(cases.length).toBeGreaterThan(2);
    for (const one of cases) assert.ok(await passes(soundRemoving, one), one.id);
  });

  test('sound-election passes every case of an election', { timeout: 240_000 }, async () => {
    const subject = electing('sound-election', {
      leases: (store) => ({ ...store }),
      source: (source) => ({ ...source }),
      pool: () => ({}),
      elect: (provider, options) => over(createElection(provider, options), () => ({})),
    });
    const cases = allCases.filter((one) => one.needs?.includes('election') && isSupported(subject, one));
    const isStopping = ({ id }: ConformanceCase): boolean => stopping.includes(id);
    const failed: string[] = [];
    const judge = async (queue: Iterable<ConformanceCase>): Promise<void> => {
      for (const one of queue) if (!(await passes(subject, one))) failed.push(one.id);
    };
    const waiting = cases.filter((one) => !isStopping(one)).values();
    await Promise.all(Array.from({ length: 6 }, () => judge(waiting)));
    await judge(cases.filter(isStopping));
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
