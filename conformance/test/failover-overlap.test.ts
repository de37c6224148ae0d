import { checkFailover, type FailoverEntry } from 'mempool-conformance/failover';
import { expect, test } from 'vitest';
import { acquired, block, call, fault, final, lost, record, renewed, run } from './failover-records.ts';

/** The lock of a is removed at 500, b acquires at 510, a says at `lostAt` that it lost. */
function removal(lostAt: number, ...more: readonly FailoverEntry[]): FailoverEntry[] {
  const removed = fault('delete the lock', null, 499, 500);
  const wins = [acquired('a', 100, 1), renewed('a', 450, 1), acquired('b', 510, 2)];
  return [run, ...wins, ...removed, lost('a', lostAt, 1), lost('b', 1_400, 2), ...more, final];
}

function isSound(entries: readonly FailoverEntry[]): boolean {
  return checkFailover(record(...entries)).length === 0;
}

const refused = call('a', 600, { term: 1, slot: 1, outcome: 'fenced', tick: 0 });

test('where the lease was removed, two may lead for a renew interval and a round trip', () => {
  expect(isSound(removal(940, ...refused))).toBe(true);
});

test('longer than that they may not', () => {
  expect(isSound(removal(950, ...refused))).toBe(false);
});

test('the time in which the old leader was stopped does not count', () => {
  expect(isSound(removal(1_040, ...fault('stop', 'a', 600, 1_000)))).toBe(true);
});

test('the time in which another one was stopped counts', () => {
  expect(isSound(removal(1_040, ...fault('stop', 'c', 600, 1_000)))).toBe(false);
});

test('two faults at once are not counted twice', () => {
  const faults = [...fault('stop', 'a', 600, 640), ...fault('cut', 'a', 600, 640)];
  expect(isSound(removal(1_000, ...faults))).toBe(false);
});

test.each(['applied', 'duplicate', 'gap', 'unchanged'])('a call that is %s meanwhile is found', (outcome) => {
  expect(isSound(removal(800, ...call('a', 600, { term: 1, slot: 1, outcome }), block(601, 1, 1)))).toBe(false);
});

test('a call that was not answered meanwhile is no call that passed', () => {
  expect(isSound(removal(800, ...call('a', 600, { term: 1, slot: 1, outcome: 'ERR_MEMPOOL_UNAVAILABLE' })))).toBe(true);
});

test('a lease that was removed before it was won, or after the next one, explains nothing', () => {
  const wins = [acquired('a', 100, 1), acquired('b', 510, 2), lost('a', 600, 1), lost('b', 1_400, 2)];
  const removals = [...fault('delete the lock', null, 50, 60), ...fault('delete the lock', null, 520, 521)];
  expect(isSound([run, ...wins, ...removals, final])).toBe(false);
});

test('a belief ends with the deadline, if nothing else ends it', () => {
  const wins = [acquired('a', 100, 1), acquired('b', 1_001, 2)];
  expect(isSound([run, ...wins, lost('a', 1_200, 1), lost('b', 1_300, 2), final])).toBe(true);
});

test('a renewal moves the deadline', () => {
  const wins = [acquired('a', 100, 1), renewed('a', 400, 1), acquired('b', 1_001, 2)];
  expect(isSound([run, ...wins, lost('a', 1_200, 1), lost('b', 1_300, 2), final])).toBe(false);
});
