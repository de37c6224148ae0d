import { describe, expect, test } from 'vitest';
import { isSettled, paceOf } from '../src/pace.ts';

const capabilities = { durable: false, shared: false, priority: true, lease: true } as const;

function fewest(durable: boolean, rounds?: number): number {
  return paceOf({ capabilities: { ...capabilities, durable } }, rounds).leastRounds;
}

describe('the pace of a row', () => {
  test('has seven rounds at the least, wherever the backend keeps what it holds', () => {
    expect([fewest(false), fewest(true)]).toEqual([7, 7]);
  });

  test('has as many rounds as are asked for, and no more', () => {
    const { leastRounds, mostRounds } = paceOf({ capabilities }, 3);
    expect([leastRounds, mostRounds]).toEqual([3, 3]);
  });

  test('takes every turn once and warms nothing up in a single round', () => {
    expect(paceOf({ capabilities }, 1)).toMatchObject({ warmUps: 0, coldMs: 0, turnMs: 0 });
  });
});

describe('rounds', () => {
  test('are settled when their middle half is narrow, whatever single ones were', () => {
    expect(isSettled([1, 1, 1, 1, 1, 1, 50])).toBe(true);
  });

  test('are not settled when they are wide apart, until there are very many of them', () => {
    const wide = [1, 1.1, 1.2, 1.3, 1.4];
    expect(isSettled(wide)).toBe(false);
    expect(isSettled(Array.from({ length: 100 }, () => wide).flat())).toBe(true);
  });
});
