import { expect, it } from 'vitest';
import { arriving, live } from '../../src/contract/lifecycle.ts';
import { isFinal, planDrop, planMove } from '../../src/rules/change.ts';

// What the plans answer is proved by the suite's cases of L1 to L13 and E1; no backend here asks for this one.
it('only final stages make log entries', () => {
  const kept = planMove('markInflight', live('d4', 1, 'Pending', 0, arriving), 5);
  const ended = planDrop(live('d4', 1, 'Pending', 0, arriving), 'failed', 5, 'failed');
  expect([kept, ended].map((change) => change !== null && isFinal(change))).toEqual([false, true]);
});
