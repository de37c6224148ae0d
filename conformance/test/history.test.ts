import { checkHistory, type HistoryScope, makeHistory, tallyOf } from 'mempool-conformance';
import type { Budget, OpenOptions, TakeOptions } from 'mempool-core';
import { wrappedPool } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';
import type { OpenedPool } from '../src/case/tested-pool.ts';
import { subject as forgetful } from './fixtures/forgetful.ts';

const steps = 5_000;

/** What a history must have met, or it proves nothing about it. */
const outcomes = [
  ...['received Pending', 'received parked', 'received Confirmed', 'duplicate', 'conflict', 'replacement-underpriced'],
  ...['sender-limit', 'cycle', 'full', 'full and closed', 'ERR_MEMPOOL_INVALID'],
  ...['limit maxTxGas', 'limit maxParked', 'limit maxProtected', 'limit maxAncestors', 'limit maxDescendants'],
].map((kind) => `receive ${kind}`);
const revisions = [
  ...[
    'revised',
    'dropped',
    'superseded',
    'skipped',
    'cycle',
    'limit maxTxGas',
    'limit maxProtected',
    'limit maxAncestors',
    'limit maxDescendants',
    'ERR_MEMPOOL_INVALID',
  ],
].map((kind) => `revise ${kind}`);
const causes = [
  ...['evicted', 'replaced', 'conflict', 'cycle', 'expired', 'block', 'invalid', 'flushed', 'failed', 'dropped'].map(
    (cause) => `Dropped ${cause}`,
  ),
  ...['received', 'released', 'claim-ended', 'unseen', 'rolled-back'].map((cause) => `Pending ${cause}`),
  ...['Propagated marked', 'Propagated taken', 'Acknowledged acknowledged', 'Confirmed received', 'Confirmed seen'],
  ...['Finalized block', 'Finalized seen'],
];
const others = [
  ...['sweep returned', 'sweep expired', 'sweep evicted'],
  ...['confirm applied', 'confirm gap', 'confirm duplicate'],
  ...['rollback rolled-back', 'rollback unchanged', 'rollback unknown-point'],
];

test(`a priority history of ${steps} calls meets every outcome and every cause`, async () => {
  // Some of these outcomes are rare: four of ten seeds missed one.
  const tally = await tallyOf(await makeHistory(9, steps, 'priority'));
  const missed = [...outcomes, ...revisions, ...causes, ...others].filter((name) => !tally.has(name));
  expect(missed).toEqual([]);
});

test('equal seeds give equal histories', async () => {
  const [one, same, other] = await Promise.all([1, 1, 2].map((each) => makeHistory(each, 50, 'fifo')));
  expect(one).toEqual(same);
  expect(one).not.toEqual(other);
});

test.each<HistoryScope>(['basic', 'fifo', 'priority'])(
  'a store that keeps the rules passes long histories: %s',
  async (scope) => {
    await checkHistory({ seed: 1, steps: 500, scope, open: (options) => ephemeral.open(options) });
  },
);

/** Takes more gas than there is room for. */
async function openGreedy(options: OpenOptions): Promise<OpenedPool> {
  const store = await ephemeral.open(options);
  return new Proxy(store, {
    has: (_, name) => name === wrappedPool || Reflect.has(store, name),
    get: (_, name) => {
      if (name === wrappedPool) return store;
      if (name === 'take') return ({ maxGas: __, ...rest }: Budget, how: TakeOptions) => store.take(rest, how);
      const value: unknown = Reflect.get(store, name);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

async function storyOf(scope: HistoryScope, open: (options: OpenOptions) => Promise<OpenedPool>): Promise<string[]> {
  const { message } = await checkHistory({ seed: 2, steps: 2_000, scope, open }).then(
    () => new Error('passed'),
    (error: Error) => error,
  );
  const story = message.split('(seed 2):\n')[1]?.split('\n') ?? [];
  return story.map((line) => line.replace(/\(.*/, ''));
}

test('a store that breaks a rule is reported with a short history that shows it', async () => {
  const basic = await storyOf('basic', (options) => forgetful.open('x', options));
  const priority = await storyOf('priority', openGreedy);
  expect([basic.at(-1), priority.at(-1)]).toEqual(['await store.markAcknowledged', 'await store.take']);
  expect(Math.max(basic.length, priority.length)).toBeLessThan(6);
});
