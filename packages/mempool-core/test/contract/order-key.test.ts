import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import {
  compareOrderKeys,
  decodeOrderKey,
  encodeOrderKey,
  type OrderKey,
  orderKeyBelow,
} from '../../src/contract/order-key.ts';
import { maxPriority, minPriority } from '../../src/contract/verdict.ts';

const place = (effectivePriority: bigint, tieBreakSeq: number, depth: number, seq: number, ready = true): OrderKey => ({
  ready,
  effectivePriority,
  tieBreakSeq,
  depth,
  seq,
});

describe('a place below Pending parents', () => {
  const parent = place(5n, 3, 0, 3);
  it.each([
    ['without one: its own', [], 7n, place(7n, 9, 0, 9)],
    ['paying less: by its own priority', [parent], 4n, place(4n, 9, 1, 9)],
    ['paying the same: behind both seqs', [parent], 5n, place(5n, 9, 1, 9)],
    ['paying the same, though it came first', [place(5n, 12, 0, 12)], 5n, place(5n, 12, 1, 9)],
    ['paying more: right behind the parent', [parent], 6n, place(5n, 3, 1, 9)],
    ['of several, the lowest counts', [place(8n, 1, 4, 6), parent], 6n, place(5n, 3, 5, 9)],
    ['of several equally low, the largest anchor', [parent, place(5n, 6, 2, 6)], 9n, place(5n, 6, 3, 9)],
    ['of several equally low, in the other order too', [place(5n, 6, 2, 6), parent], 9n, place(5n, 6, 3, 9)],
    ['a lower one later takes its own anchor', [place(5n, 8, 0, 8), place(2n, 1, 0, 1)], 9n, place(2n, 1, 1, 9)],
    [
      'priorities that a double cannot tell apart',
      [place(2n ** 53n, 1, 0, 1)],
      2n ** 53n + 1n,
      place(2n ** 53n, 1, 1, 9),
    ],
  ])('%s', (_, parents, priority, expected) => {
    expect(orderKeyBelow(parents, priority, 9, true)).toEqual(expected);
  });

  it('is parked or ready as it is told, whatever the parents are', () => {
    expect(orderKeyBelow([parent], 1n, 9, false).ready).toBe(false);
    expect(orderKeyBelow([], 1n, 9, false).ready).toBe(false);
  });

  it(`is behind each of them, in any graph (seed ${seed})`, () => {
    const chance = new Random(seed);
    for (let round = 0; round < 2_000; round += 1) {
      const places: OrderKey[] = [];
      for (const seq of shuffled(chance, 2 + chance.below(12))) {
        const parents = places.filter(() => chance.below(3) === 0);
        const own = orderKeyBelow(parents, BigInt(chance.below(4)), seq, true);
        for (const above of parents) expect(compareOrderKeys(above, own)).toBeLessThan(0);
        places.push(own);
      }
    }
  });
});

interface Queued {
  readonly sender: number;
  readonly priority: bigint;
  readonly seq: number;
}

describe('the order of chains', () => {
  it(`is that of taking the best head among the senders, ties by arrival (seed ${seed})`, () => {
    const chance = new Random(seed);
    for (let round = 0; round < 5_000; round += 1) {
      const chains = randomChains(chance);
      expect(byPlace(chains), `round ${round}`).toEqual(byGreed(chains));
    }
  });
});

/** The transactions of each sender in the order of their nonces; they arrived in any order. */
function randomChains(chance: Random): Queued[][] {
  const size = 1 + chance.below(14);
  const senders = 1 + chance.below(5);
  const spread = chance.pick([2, 4, 1_000]);
  const chains: Queued[][] = Array.from({ length: senders }, () => []);
  for (const seq of shuffled(chance, size)) {
    const sender = chance.below(senders);
    chains[sender]?.push({ sender, priority: BigInt(chance.below(spread)) - 1n, seq });
  }
  return chains;
}

function byPlace(chains: readonly Queued[][]): number[] {
  const places = chains.flatMap((chain) => {
    let above: OrderKey[] = [];
    return chain.map(({ priority, seq }) => {
      above = [orderKeyBelow(above, priority, seq, true)];
      return above[0] as OrderKey;
    });
  });
  return places.sort(compareOrderKeys).map(({ seq }) => seq);
}

function byGreed(chains: readonly Queued[][]): number[] {
  const waiting = chains.map((chain) => [...chain]);
  const taken: number[] = [];
  for (;;) {
    const heads = waiting.flatMap((chain) => chain.slice(0, 1));
    const [best] = heads.sort((a, b) => Number(b.priority - a.priority) || a.seq - b.seq);
    if (best === undefined) return taken;
    taken.push(best.seq);
    waiting[best.sender]?.shift();
  }
}

function shuffled(chance: Random, size: number): number[] {
  const seqs = Array.from({ length: size }, (_, i) => i + 1);
  for (let i = size - 1; i > 0; i -= 1) {
    const j = chance.below(i + 1);
    [seqs[i], seqs[j]] = [seqs[j] as number, seqs[i] as number];
  }
  return seqs;
}

describe('a place as text', () => {
  const extremes = [
    place(maxPriority, Number.MAX_SAFE_INTEGER, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER),
    place(minPriority, 0, 0, 0, false),
    place(0n, 1, 0, 1),
    place(-1n, 1, 0, 1),
  ];

  it('is read back as it was, at the ends of every range', () => {
    for (const each of extremes) expect(decodeOrderKey(encodeOrderKey(each))).toEqual(each);
  });

  it.each([
    [maxPriority, maxPriority - 1n],
    [2n ** 53n + 1n, 2n ** 53n],
    [1n, 0n],
    [0n, -1n],
    [-1n, -2n],
    [minPriority + 1n, minPriority],
  ])('goes first for %s before %s, though the seq is later', (higher, lower) => {
    expect(encodeOrderKey(place(higher, 2, 1, 2)) < encodeOrderKey(place(lower, 1, 0, 1))).toBe(true);
  });

  it(`compares as the place does, and is read back as it was (seed ${seed})`, () => {
    const chance = new Random(seed);
    for (let round = 0; round < 5_000; round += 1) {
      const [a, b] = [anyPlace(chance), anyPlace(chance)] as const;
      const [x, y] = [encodeOrderKey(a), encodeOrderKey(b)];
      expect([x.length, decodeOrderKey(x), decodeOrderKey(y)]).toEqual([y.length, a, b]);
      expect(Math.sign(compareOrderKeys(a, b)), `${x} ${y}`).toBe(x < y ? -1 : Number(x > y));
    }
  });

  it.each([
    '',
    '2',
    encodeOrderKey(extremes[2] as OrderKey).slice(1),
    `${encodeOrderKey(extremes[2] as OrderKey)}0`,
    encodeOrderKey(extremes[2] as OrderKey).toUpperCase(),
    `2${encodeOrderKey(extremes[2] as OrderKey).slice(1)}`,
    `0${'0'.repeat(16)}${'f'.repeat(14)}${'0'.repeat(22)}`,
  ])('that no place has is none: %j', (key) => {
    expect(decodeOrderKey(key)).toBeNull();
  });
});

/** Often equal in some part, and often at an end. */
function anyPlace(chance: Random): OrderKey {
  const numbers = [0, 1, 2, chance.below(2 ** 31) * 2 ** 22, Number.MAX_SAFE_INTEGER];
  const priorities = [0n, 1n, -1n, maxPriority, minPriority, BigInt.asIntN(64, BigInt(`0x${chance.hex(8)}`))];
  const depth = chance.pick([0, 1, 2 ** 32 - 1]);
  return place(chance.pick(priorities), chance.pick(numbers), depth, chance.pick(numbers), chance.below(2) === 0);
}
