import { expect, test } from 'vitest';
import { aheadAfter, phaseSteps, windowLeft } from '../../page/state/epochs.ts';

const pending = { level1: 'pending', level2: 'pending', onchain: 'pending' } as const;

test.each([
  ['submission', {}, 'present future future future future'],
  ['level1', {}, 'past present future future future'],
  ['level2', {}, 'past past present future future'],
  ['onchain', {}, 'past past past present future'],
  ['complete', {}, 'past past past past present'],
  ['failed', { level1: 'failed' }, 'past failed future future future'],
  ['failed', { level2: 'failed' }, 'past past failed future future'],
  ['failed', { onchain: 'failed' }, 'past past past failed future'],
] as const)('an epoch in phase %s %o is %s', (phase, levels, states) => {
  const steps = phaseSteps({ phase, ...pending, ...levels });
  expect(steps.map(({ state }) => state).join(' ')).toBe(states);
});

test('the window is closed from its end on, by the clock of the server as far as it is known', () => {
  expect([windowLeft({ closesAt: 10 }, 9), windowLeft({ closesAt: 10 }, 10)]).toEqual([1, null]);
  const first = aheadAfter(Number.NEGATIVE_INFINITY, 5_000, 1_000);
  expect(first).toBe(4_000);
  expect([aheadAfter(first, 5_000, 1_500), aheadAfter(first, 6_200, 2_000)]).toEqual([4_000, 4_200]);
});
