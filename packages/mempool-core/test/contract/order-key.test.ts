import { Random, seed } from 'mempool-testkit';
import { expect, it } from 'vitest';
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

interface Queued {
  readonly sender: number;
  readonly priority: bigint;
  readonly seq: number;
}

it(`the order of chains is that of taking the best head among the senders, ties by arrival (seed ${seed})`, () => {
  const chance = new Random(seed);
  for (let round = 0; round < 5_000; round += 1) {
    const chains = randomChains(chance);
    expect(byPlace(chains), `round ${round}`).toEqual(byGreed(chains));
  }
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
