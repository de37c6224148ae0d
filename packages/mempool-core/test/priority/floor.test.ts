import { Random } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { decodeLimits, encodeLimits } from '../../src/codec/limits-text.ts';
import { defaultLimits } from '../../src/contract/limits.ts';
import { encodeOrderKey } from '../../src/contract/order-key.ts';
import { defaultVerdict, maxPriority, minPriority } from '../../src/contract/verdict.ts';
import { settle } from '../../src/priority/placement.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PlacedNode } from '../../src/priority/pool-node.ts';
import { Ranking } from '../../src/priority/ranking.ts';
import { lostEntry } from '../../src/rules/damage.ts';

function nodeAt(seq: number, ready: boolean, effectivePriority: bigint): PlacedNode {
  const place = { ready, effectivePriority, tieBreakSeq: seq, depth: 0, seq };
  return { seq, place } as PlacedNode;
}

test('the floor is stored exactly, and is damage where it is missing or not a number of 64 bits', () => {
  for (const floor of [minPriority, maxPriority, 0n, -(2n ** 53n) - 1n]) {
    const limits = { ...defaultLimits, minPriority: floor };
    expect(decodeLimits(encodeLimits(limits))).toEqual(limits);
  }
  const { minPriority: _, ...others } = defaultLimits;
  for (const wrong of ['2e3', '', String(maxPriority + 1n), 5, undefined])
    expect(() => decodeLimits(JSON.stringify({ ...others, minPriority: wrong }))).toThrow(
      expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }),
    );
});

test('what a floor crosses is found without a look at the rest, at both ends of 64 bits', () => {
  const order = new Ranking(() => 0n);
  const values = [minPriority, -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, maxPriority - 1n, maxPriority];
  const nodes = Array.from({ length: 700 }, (_, i) => nodeAt(i, i % 2 === 0, values[i % values.length] as bigint));
  for (const node of nodes) order.insert(node);
  for (const before of values)
    for (const floor of values) {
      const [least, bound] = before < floor ? [before, floor] : [floor, before];
      const isCrossed = ({ place }: PlacedNode): boolean =>
        place.ready === before < floor && place.effectivePriority >= least && place.effectivePriority < bound;
      const crossed = nodes.filter(isCrossed).map(({ seq }) => seq);
      expect([...order.crossedBy(before, floor)].map(({ seq }) => seq).sort()).toEqual(crossed.sort());
    }
  for (const bound of values)
    expect(order.countBelow(bound)).toBe(
      nodes.filter(({ place }) => !place.ready && place.effectivePriority < bound).length,
    );
});

/** A pool of chance: half of them have a tip, and many depend on others. */
function chancePool(seed: number, floor: bigint): PoolIndex {
  const chance = new Random(seed);
  const index = new PoolIndex({ ...defaultLimits, minPriority: floor });
  for (let seq = 1; seq <= 60; seq++) {
    const requires =
      seq > 5 && chance.below(3) > 0
        ? [`t${1 + chance.below(seq - 1)}`, `t${chance.below(6) === 0 ? 99 : 1 + chance.below(seq - 1)}`]
        : [];
    const verdict = { ...defaultVerdict, priority: BigInt(chance.below(20)), provides: [`t${seq}`], requires };
    const tip = chance.below(2) === 0 ? {} : { tip: BigInt(chance.below(9)) };
    const hash = seq.toString(16).padStart(4, '0');
    index.put({ ...lostEntry(hash, seq, 1), verdict: { ...verdict, ...tip } }, 'Pending');
  }
  settle(index);
  return index;
}

/** The order with all keys, from both ends. */
function shownOf({ order, belowFloor, parked, parking }: PoolIndex): unknown {
  const keys = Array.from(order, ({ place }) => encodeOrderKey(place));
  const back = Array.from(order.backwards(), ({ hash }) => hash);
  return [keys, back, belowFloor, parked.length, parking.worst?.hash];
}

test('after each move of the floor all keys are those of a pool that always had this floor', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const chance = new Random(seed);
    const index = chancePool(seed, 3n);
    for (let move = 0; move < 12; move++) {
      const floor = chance.below(6) === 0 ? minPriority : BigInt(chance.below(24) - 2);
      const isUndone = chance.below(3) === 0;
      const before = shownOf(index);
      index.begin();
      index.limits = { ...index.limits, minPriority: floor };
      settle(index);
      expect(shownOf(index)).toEqual(shownOf(chancePool(seed, floor)));
      if (isUndone) index.undo();
      else index.keep();
      if (isUndone) expect(shownOf(index)).toEqual(before);
    }
  }
});

test('a move touches none of those that float, however many there are', () => {
  const index = new PoolIndex({ ...defaultLimits, minPriority: 10n });
  for (let seq = 1; seq <= 500; seq++) {
    const verdict = { ...defaultVerdict, priority: seq === 1 ? 30n : 1_000n, tip: BigInt(seq % 7) };
    index.put({ ...lostEntry(seq.toString(16).padStart(4, '0'), seq, 1), verdict }, 'Pending');
  }
  settle(index);
  index.begin();
  index.limits = { ...index.limits, minPriority: 40n };
  settle(index);
  expect(index.touched().map(({ node }) => node.seq)).toEqual([1]);
  expect(index.order.first?.place.effectivePriority).toBe(46n);
});
