import { Random } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/contract/limits.ts';
import { encodeOrderKey } from '../../src/contract/order-key.ts';
import { defaultVerdict, minPriority } from '../../src/contract/verdict.ts';
import { settle } from '../../src/priority/placement.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import { lostEntry } from '../../src/rules/damage.ts';

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

/** The order with all keys, which is the same from both ends. */
function shownOf({ order, belowFloor, parked, parking }: PoolIndex): unknown {
  const keys = Array.from(order, ({ place }) => encodeOrderKey(place));
  expect(Array.from(order.backwards(), ({ place }) => encodeOrderKey(place))).toEqual(keys.toReversed());
  expect(keys.toSorted()).toEqual(keys);
  return [keys, belowFloor, parked.length, parking.worst?.hash];
}

test('after each move of the floor all keys are those of a pool that always had this floor', () => {
  for (let seed = 1; seed <= 20; seed++) {
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
