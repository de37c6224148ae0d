import { describe, expect, test } from 'vitest';
import type { Place } from '../src/backends/place.ts';
import { isSettled, paceOf } from '../src/runner/pace.ts';

const pass = { index: 0, count: 1 };

function fewest(place: Place): number {
  return paceOf(place, { rounds: undefined, pass }).leastRounds;
}

describe('the pace of a row', () => {
  test('has seven rounds at the least, wherever the backend keeps what it holds', () => {
    expect(Math.min(fewest('heap'), fewest('file'), fewest('server'))).toBeGreaterThanOrEqual(7);
  });

  test('has as many rounds as are asked for, and no more', () => {
    const { leastRounds, mostRounds } = paceOf('heap', { rounds: 3, pass });
    expect([leastRounds, mostRounds]).toEqual([3, 3]);
  });

  test('shares its rounds and its time among the passes', () => {
    const of = (index: number) => paceOf('heap', { rounds: 8, pass: { index, count: 3 } });
    expect([of(0), of(1), of(2)].map(({ leastRounds }) => leastRounds)).toEqual([3, 3, 2]);
    const alone = paceOf('heap', { rounds: 8, pass });
    expect(of(0).rowMs).toBe(alone.rowMs / 3);
  });

  test('takes every turn once and warms nothing up in a single round', () => {
    expect(paceOf('heap', { rounds: 1, pass })).toMatchObject({ warmMs: 0, coldMs: 0, turnMs: 0 });
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
