import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/contract/limits.ts';
import type { Entry } from '../../src/contract/pool-entry.ts';
import { defaultVerdict } from '../../src/contract/verdict.ts';
import { settle } from '../../src/priority/placement.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';

function entryOf(chance: Random, seq: number): Entry {
  const priority = BigInt(chance.below(9));
  const tip = chance.below(40) === 0 ? 1n : undefined;
  const sender = chance.below(20) === 0 ? 'somebody' : '';
  const verdict = { ...defaultVerdict, priority, sender, ...(tip !== undefined && { tip }) };
  const known = { verdict, sources: [], version: 1, admittedAt: 0, admittedHeight: 0, gossipSeq: 0, claim: null };
  return { hash: `${seq}`, seq, bytes: chance.below(100), checkedHeight: chance.below(5), ...known };
}

const told = ({ hash, seq, stage, place, bytes }: PoolNode) => ({ hash, seq, stage, place, bytes });

function stateOf(index: PoolIndex) {
  const { transactions, bytes, senders } = index.totals;
  const away = Array.from(index.ages.checkedAway.list, ({ hash, entry }) => ({ hash, height: entry.checkedHeight }));
  return {
    ...{ transactions, bytes, senders: [...senders] },
    nodes: Array.from(index.nodes(), told),
    order: Array.from(index.order, told),
    last: index.order.last?.hash,
    heights: away.map(({ height }) => height),
    // In any order among those of the same height.
    away: away.map(({ hash }) => hash).sort(),
  };
}

/** Two indexes with the same transactions. In one the last of the order are evicted, in the other they are dropped. */
class Both {
  readonly pair: readonly [PoolIndex, PoolIndex] = [new PoolIndex(defaultLimits), new PoolIndex(defaultLimits)];

  each(change: (index: PoolIndex, which: number) => void): void {
    for (const [which, index] of this.pair.entries()) change(index, which);
  }

  evictLast(): void {
    this.each((index, which) => {
      const { last } = index.order;
      if (last === undefined) return;
      if (which === 0) index.evict(last);
      else index.move(last, 'Dropped');
    });
  }
}

test(`an eviction does the same as a drop, also if it is undone, and if the log forgets it (seed ${seed})`, () => {
  const chance = new Random(seed);
  const both = new Both();
  let seq = 0;
  for (let step = 0; step < 4_000; step++) {
    const choice = chance.below(8);
    if (choice < 4) {
      const entry = entryOf(chance, ++seq);
      both.each((index) => {
        index.put(entry, 'Pending');
        settle(index);
      });
    } else if (choice < 6) both.evictLast();
    else if (choice === 6) {
      both.each((index) => index.begin());
      both.evictLast();
      both.evictLast();
      const isKept = chance.below(2) === 0;
      both.each((index) => (isKept ? index.keep() : index.undo()));
    } else {
      const [dropped] = [...both.pair[0].nodes()].filter(({ stage }) => stage === 'Dropped');
      if (dropped === undefined) continue;
      const revived = chance.below(4) === 0 ? { ...dropped.entry, seq: ++seq } : null;
      both.each((index) => {
        if (revived === null) index.remove(dropped.hash);
        else index.put(revived, 'Pending');
        settle(index);
      });
    }
    // The list of those that are away is made at its first use: late, so that evictions come before and after.
    if (step > 2_000 && step % 100 === 0) expect(stateOf(both.pair[0])).toEqual(stateOf(both.pair[1]));
  }
});
