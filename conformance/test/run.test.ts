import {
  type CaseContext,
  type ConformanceCase,
  onBothOrderings,
  type Report,
  runCase,
  runSuite,
  type Subject,
} from 'mempool-conformance';
import { expect, test } from 'vitest';
import { subject } from './fixtures/subject.ts';

function makeCase(run: ConformanceCase['run'], more: Partial<ConformanceCase> = {}): ConformanceCase {
  return { id: 'X9/one', level: 'MUST', rule: 'X9', title: 'a case', since: '0.1.0', run, ...more };
}

const passing = makeCase(async () => {});
const failing = makeCase(async () => Promise.reject(new Error('broken')), { id: 'X9/broken' });

function resultOf(cases: readonly ConformanceCase[], more: Partial<Subject> = {}): Promise<Report> {
  return runSuite({ ...subject, ...more }, { cases });
}

/** A subject that notes what happens to its pools. */
function watched(): Subject & { readonly open: Subject['open']; readonly notes: string[] } {
  const notes: string[] = [];
  return {
    ...subject,
    notes,
    async open(pool, options) {
      const store = await subject.open(pool, options);
      const close = store.close.bind(store);
      store.close = () => {
        notes.push('closed');
        return close();
      };
      return store;
    },
    async destroy() {
      notes.push('destroyed');
    },
  };
}

test('a case that ends well passes, one that throws fails with its error', async () => {
  expect((await runCase(subject, passing)).outcome).toEqual({ kind: 'passed' });
  expect((await runCase(subject, failing)).outcome).toMatchObject({ kind: 'failed', error: { message: 'broken' } });
});

test('something thrown that is no error fails the case, too', async () => {
  const { outcome } = await runCase(
    subject,
    makeCase(() => Promise.reject('text')),
  );
  expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'thrown: text' } });
});

test('every store is closed and every pool removed when a case fails', async () => {
  const noted = watched();
  const result = await runCase(
    noted,
    makeCase(async ({ open, openOther }) => {
      await Promise.all([open(), open(), openOther()]);
      throw new Error('broken');
    }),
  );
  expect(result.outcome.kind).toBe('failed');
  expect(noted.notes).toEqual(['closed', 'closed', 'closed', 'destroyed', 'destroyed']);
});

test('a case that does not end fails at its time, and its late stores are closed', async () => {
  const noted = watched();
  const opening = Promise.withResolvers<void>();
  const slow: Subject = {
    ...noted,
    async open(pool, options) {
      await opening.promise;
      return noted.open(pool, options);
    },
  };
  const ending = runCase(
    slow,
    makeCase(async ({ open, signal }) => {
      signal.addEventListener('abort', () => opening.resolve());
      await open();
      await new Promise(() => {});
    }),
    { timeoutMs: 20 },
  );
  expect((await ending).outcome).toMatchObject({ kind: 'failed', error: { message: 'not done after 20 ms' } });
  expect(noted.notes).toContain('closed');
});

test('a store that fails to close fails the case', async () => {
  const stuck: Subject = {
    ...subject,
    async open(pool, options) {
      const store = await subject.open(pool, options);
      store.close = () => Promise.reject(new Error('will not close'));
      return store;
    },
  };
  const { outcome } = await runCase(
    stuck,
    makeCase(async ({ open }) => void (await open())),
  );
  expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'will not close' } });
});

test('each case has a pool of its own, the same one for all its nodes', async () => {
  const pools: string[] = [];
  const noting: Subject = {
    ...subject,
    open(pool, options) {
      pools.push(pool);
      return subject.open(pool, options);
    },
  };
  const twice = makeCase(async ({ open }) => void (await Promise.all([open(), open()])));
  await runSuite(noting, { cases: [twice, twice] });
  expect(pools[0]).toBe(pools[1]);
  expect(pools[2]).toBe(pools[3]);
  expect(pools[0]).not.toBe(pools[2]);
});

test('equal seeds give a case equal numbers, whatever runs beside it', async () => {
  const numbers: number[] = [];
  const drawing = makeCase(async ({ random }) => void numbers.push(random.uint32()));
  await runSuite(subject, { cases: [passing, drawing], seed: 7 });
  await runCase(subject, drawing, { seed: 7 });
  await runCase(subject, drawing, { seed: 8 });
  expect(numbers[0]).toBe(numbers[1]);
  expect(numbers[0]).not.toBe(numbers[2]);
});

test('what a capability rules out is unsupported and does not run', async () => {
  const needing = makeCase(failing.run, { needs: ['shared'] });
  const report = await resultOf([passing, needing]);
  expect(report).toMatchObject({ result: 'passed', counts: { passed: 1, unsupported: 1, skipped: 0, failed: 0 } });
  expect(report.cases[1]).toMatchObject({ outcome: 'unsupported', missing: ['shared'], profile: 'shared' });
});

test('a MUST that was left out makes the result partial', async () => {
  const report = await runSuite(subject, { cases: [passing, failing], filter: ({ id }) => id === passing.id });
  expect(report).toMatchObject({ result: 'partial', counts: { passed: 1, skipped: 1 } });
});

test('a known gap runs and may fail; of a MUST it makes the result partial', async () => {
  const knownGaps = { 'X9/broken': 'not yet' };
  const report = await resultOf([passing, failing], { knownGaps });
  expect(report).toMatchObject({ result: 'partial', counts: { 'known-gap': 1 } });
  expect(report.cases[1]).toMatchObject({ reason: 'not yet' });
  const may = await resultOf([passing, { ...failing, level: 'MAY' }], { knownGaps });
  expect(may.result).toBe('passed');
});

test('a known gap that passes is a failure', async () => {
  const report = await resultOf([passing], { knownGaps: { 'X9/one': 'not yet' } });
  expect(report).toMatchObject({ result: 'failed', counts: { failed: 1 } });
});

test('the report tells versions, seed, capabilities, profiles and rules', async () => {
  const durable = makeCase(passing.run, { id: 'X8/other', rule: 'X8', needs: ['durable'] });
  const ranked = makeCase(passing.run, { id: 'X9/ranked', needs: ['priority'] });
  const report = await runSuite(subject, { cases: [passing, durable, ranked], seed: 3 });
  expect(report).toMatchObject({
    subject: 'mine',
    backend: 'ephemeral',
    versions: { 'mempool-conformance': '0.1.0', 'mempool-core': '0.1.0', node: process.versions.node },
    seed: 3,
    capabilities: {
      supported: ['lease', 'priority', 'records', 'import'],
      unsupported: ['durable', 'shared', 'election'],
    },
    profiles: {
      core: { passed: 1 },
      durable: { unsupported: 1 },
      priority: { passed: 1 },
      election: { passed: 0 },
    },
    rules: { X9: { passed: 2 }, X8: { unsupported: 1 } },
  });
});

test('cases may run at the same time', async () => {
  const meeting = Promise.withResolvers<void>();
  let arrived = 0;
  const meet = async ({ signal }: CaseContext) => {
    arrived += 1;
    if (arrived === 2) meeting.resolve();
    signal.addEventListener('abort', () => meeting.reject(signal.reason));
    await meeting.promise;
  };
  const cases = [makeCase(meet), makeCase(meet, { id: 'X9/two' })];
  expect((await runSuite(subject, { cases, concurrency: 2, timeoutMs: 5_000 })).result).toBe('passed');
});

test('a case of every pool runs on pools of both orderings', async () => {
  const orderings: string[] = [];
  const noting = makeCase(async ({ open, openOther }) => {
    for (const store of [await open(), await openOther({ finalizeThreshold: 2 })]) orderings.push(store.ordering);
  });
  const cases = onBothOrderings([noting]);
  expect(cases.map(({ id }) => id)).toEqual(['X9/one', 'X9/one@priority']);
  expect((await runSuite(subject, { cases })).result).toBe('passed');
  expect(orderings).toEqual(['fifo', 'fifo', 'priority', 'priority']);
});

test('on pools by priority a case has a result, a profile and a known gap of its own', async () => {
  const knownGaps = { 'X9/broken@priority': 'not yet' };
  const report = await resultOf(onBothOrderings([passing, failing]), { knownGaps });
  expect(report.cases.map(({ id, profile, outcome }) => [id, profile, outcome])).toEqual([
    ['X9/one', 'core', 'passed'],
    ['X9/one@priority', 'priority', 'passed'],
    ['X9/broken', 'core', 'failed'],
    ['X9/broken@priority', 'priority', 'known-gap'],
  ]);
  const capabilities = { ...subject.backend.capabilities, priority: false };
  const without = await resultOf(onBothOrderings([passing]), { backend: { ...subject.backend, capabilities } });
  expect(without.counts).toMatchObject({ passed: 1, unsupported: 1 });
});
