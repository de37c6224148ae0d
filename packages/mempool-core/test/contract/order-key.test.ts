import { Random, seed } from 'mempool-testkit';
import { expect, it } from 'vitest';
import { compareOrderKeys, decodeOrderKey, encodeOrderKey, type OrderKey } from '../../src/contract/order-key.ts';
import { maxPriority, minPriority } from '../../src/contract/verdict.ts';

const place = (effectivePriority: bigint, tieBreakSeq: number, depth: number, seq: number, ready = true): OrderKey => ({
  ready,
  effectivePriority,
  tieBreakSeq,
  depth,
  seq,
});

it(`a key as text compares as the key does, and is read back as it was (seed ${seed})`, () => {
  const chance = new Random(seed);
  for (let round = 0; round < 5_000; round += 1) {
    const [a, b] = [anyPlace(chance), anyPlace(chance)] as const;
    const [x, y] = [encodeOrderKey(a), encodeOrderKey(b)];
    expect([x.length, decodeOrderKey(x), decodeOrderKey(y)]).toEqual([y.length, a, b]);
    expect(Math.sign(compareOrderKeys(a, b)), `${x} ${y}`).toBe(x < y ? -1 : Number(x > y));
  }
});

const key = encodeOrderKey(place(0n, 1, 0, 1));

it.each([
  '',
  '2',
  key.slice(1),
  `${key}0`,
  `${key.slice(0, -1)}F`,
  `2${key.slice(1)}`,
  `0${'0'.repeat(16)}${'f'.repeat(36)}`,
])('a text that no key has is none: %j', (text) => {
  expect(decodeOrderKey(text)).toBeNull();
});

/** Often equal in some part, and often at an end. */
function anyPlace(chance: Random): OrderKey {
  const numbers = [0, 1, 2, chance.below(2 ** 31) * 2 ** 22, Number.MAX_SAFE_INTEGER];
  const priorities = [0n, 1n, -1n, maxPriority, minPriority, BigInt.asIntN(64, BigInt(`0x${chance.hex(8)}`))];
  const depth = chance.pick([0, 1, 2 ** 32 - 1]);
  return place(chance.pick(priorities), chance.pick(numbers), depth, chance.pick(numbers), chance.below(2) === 0);
}
