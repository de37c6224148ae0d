import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import { maxPriority, minPriority } from '../../src/contract/verdict.ts';
import { replacementBound } from '../../src/priority/price.ts';

describe('what a replacement must pay', () => {
  test.each([
    [100n, 10, 110n],
    [101n, 10, 112n],
    [9n, 10, 10n],
    [10n, 10, 11n],
    [1n, 10, 2n],
    [0n, 10, 1n],
    [-1n, 10, 0n],
    [-100n, 10, -99n],
    [-1_000n, 10_000, -999n],
    [7n, 0, 8n],
    [0n, 0, 1n],
    [-7n, 0, -6n],
    [3n, 10_000, 303n],
    [1n, 99, 2n],
    [1n, 100, 2n],
    [1n, 101, 3n],
    [2n ** 53n + 1n, 10, 9_907_919_180_215_093n],
    [minPriority, 10, minPriority + 1n],
  ])('for %s with a bump of %i per cent it is %s', (old, bump, bound) => {
    expect(replacementBound(old, bump)).toBe(bound);
  });

  test('it may lie above every priority, and is not cut off', () => {
    expect(replacementBound(maxPriority, 0)).toBe(maxPriority + 1n);
    expect(replacementBound(maxPriority - 1n, 10)).toBeGreaterThan(maxPriority);
  });

  test(`it is the least that is more than the old and at least the percentage (seed ${seed})`, () => {
    const chance = new Random(seed);
    const meets = (own: bigint, old: bigint, bump: number): boolean =>
      own > old && own * 100n >= old * (100n + BigInt(bump));
    for (let round = 0; round < 5_000; round += 1) {
      const width = 1 + chance.below(64);
      const old = BigInt.asIntN(width, BigInt(`0x${chance.hex(8)}`));
      const bump = chance.pick([0, 1, 10, 99, 100, chance.below(10_001)]);
      const bound = replacementBound(old, bump);
      expect([meets(bound, old, bump), meets(bound - 1n, old, bump)], `${old} + ${bump} %`).toEqual([true, false]);
    }
  });
});
