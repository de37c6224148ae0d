import { randomInt } from 'node:crypto';
import { checkPriorityHistory, makePriorityHistory, tallyOf } from 'mempool-conformance';
import { describe, expect, test } from 'vitest';
import { type PoolSource, poolSources, sharedPoolSources } from './priority-subjects.ts';

const steps = 5_000;
const sharedSteps = 1_000;
/** Set MEMPOOL_HISTORY_SEED to the seed in a failing title to see the same history again. */
const seed = Number(process.env.MEMPOOL_HISTORY_SEED ?? randomInt(2 ** 32));

/** What a history must have met, or it proves nothing about it. */
const outcomes = [
  ...['received Pending', 'received parked', 'received Confirmed', 'duplicate', 'conflict', 'replacement-underpriced'],
  ...['sender-limit', 'cycle', 'full', 'full without floor', 'ERR_MEMPOOL_INVALID'],
  ...['limit maxTxGas', 'limit maxParked', 'limit maxAncestors', 'limit maxDescendants'],
].map((kind) => `receive ${kind}`);
const revisions = [
  ...['revised', 'dropped', 'superseded', 'skipped', 'cycle', 'limit maxTxGas', 'limit maxDescendants'],
].map((kind) => `revise ${kind}`);
const reasons = [
  ...['evicted', 'replaced', 'conflict', 'cycle', 'expired', 'stale', 'invalid', 'flushed', 'unwanted'],
].map((reason) => `Dropped ${reason}`);
const others = [
  ...['sweep returned', 'sweep expired', 'sweep evicted'],
  ...['confirm applied', 'confirm gap', 'confirm duplicate'],
  ...['rollback rolled-back', 'rollback unchanged', 'rollback unknown-point'],
  ...['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'RolledBack'],
];

test(`a history of ${steps} calls meets every outcome and every reason of a drop (MEMPOOL_HISTORY_SEED=${seed})`, async () => {
  const tally = await tallyOf(await makePriorityHistory(seed, steps));
  const missed = [...outcomes, ...revisions, ...reasons, ...others].filter((name) => !tally.has(name));
  expect(missed).toEqual([]);
});

test('equal seeds give equal histories', async () => {
  const [one, same, other] = await Promise.all([1, 1, 2].map((each) => makePriorityHistory(each, 50)));
  expect(one).toEqual(same);
  expect(one).not.toEqual(other);
});

async function check(makeSource: () => Promise<PoolSource>, calls: number): Promise<void> {
  await using source = await makeSource();
  await checkPriorityHistory({ seed, steps: calls, open: source.open });
}

const timeout = 180_000;

describe(`${steps} calls of chance leave a priority pool as the rules say, after every call (MEMPOOL_HISTORY_SEED=${seed})`, () => {
  test.each(Object.entries(poolSources))('%s', { timeout }, (_, makeSource) => check(makeSource, steps));
});

describe(`the same holds where nodes take turns, of which some come and go (MEMPOOL_HISTORY_SEED=${seed})`, () => {
  test.each(Object.entries(sharedPoolSources))('%s', { timeout }, (_, makeSource) => check(makeSource, sharedSteps));
});
