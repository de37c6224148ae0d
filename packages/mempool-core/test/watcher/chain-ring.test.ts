import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/contract/store.ts';
import type { ChainPoint } from '../../src/contract/transaction.ts';
import { ChainRing } from '../../src/watcher/chain-ring.ts';
import { reconcile } from '../../src/watcher/reconcile.ts';

function at(n: number): ChainPoint {
  return { slot: n, hash: n.toString(16).padStart(64, '0') };
}

function block(n: number): Block {
  return { point: at(n), seen: [], unseen: [] };
}

function ring(size: number, base: number | null, ...blocks: number[]): ChainRing {
  const made = new ChainRing(size, base === null ? null : at(base));
  for (const n of blocks) made.push(at(n), block(n));
  return made;
}

function slots(chain: ChainRing): (number | null)[] {
  return [...chain.points()].map((point) => point?.slot ?? null);
}

describe('a ring of blocks', () => {
  it('keeps the last ones, and the point that they stand on', () => {
    const chain = ring(3, null, 1, 2, 3, 4, 5);
    expect(slots(chain)).toEqual([5, 4, 3, 2]);
    expect([chain.has(at(2)), chain.has(at(1))]).toEqual([true, false]);
  });

  it('is cut at a point of it, at the one it stands on, and at one that it does not have', () => {
    const chain = ring(4, 1, 2, 3, 4);
    chain.cut(at(3));
    expect(slots(chain)).toEqual([3, 2, 1]);
    chain.cut(at(1));
    expect(slots(chain)).toEqual([1]);
    chain.cut(at(9));
    expect([slots(chain), chain.has(at(1))]).toEqual([[9], false]);
    chain.cut(null);
    expect([slots(chain), chain.end]).toEqual([[null], null]);
  });

  it('lets go of what blocks carry, also of those that came after a cut', () => {
    const chain = ring(9, 1, 2, 3, 4);
    chain.strip(at(3));
    expect(chain.above(at(1)).map(({ block }) => block?.point.slot)).toEqual([undefined, undefined, 4]);
    chain.strip(at(4));
    chain.cut(at(2));
    for (const n of [13, 14]) chain.push(at(n), block(n));
    chain.strip(at(13));
    expect(chain.above(at(2)).map(({ block }) => block?.point.slot)).toEqual([undefined, 14]);
  });

  it(`has the blocks that a plain list has, whatever is done to it (seed ${seed})`, () => {
    const chance = new Random(seed);
    const size = 5;
    const chain = new ChainRing(size, at(0));
    let list = [0];
    for (let next = 1; next < 2_000; next++) {
      if (chance.below(4) > 0) {
        chain.push(at(next), block(next));
        list = [...list, next].slice(-size - 1);
      } else {
        const to = chance.below(8) === 0 ? next : chance.pick(list);
        chain.cut(at(to));
        list = list.includes(to) ? list.slice(0, list.indexOf(to) + 1) : [to];
      }
      expect(slots(chain)).toEqual(list.toReversed());
      const from = chance.pick(list);
      expect(chain.above(at(from)).map(({ point }) => point.slot)).toEqual(list.slice(list.indexOf(from) + 1));
    }
  });
});

describe('a chain compared with what a pool has applied', () => {
  const applied = ChainRing.of(9, [at(3), at(2), at(1)]);

  it.each<[string, ChainRing, unknown]>([
    ['that ends at the tip: nothing', ring(9, 1, 2, 3), { kind: 'wait', common: at(3) }],
    ['that ends before the tip: nothing', ring(9, 1, 2), { kind: 'wait', common: at(2) }],
    ['that goes on: its blocks', ring(9, 2, 3, 4), { kind: 'apply', from: at(3), blocks: [block(4)] }],
    ['that forks: from the fork', ring(9, 1, 12), { kind: 'apply', from: at(1), blocks: [block(12)] }],
    ['with no point of it: the source is asked', ring(9, 4, 5), { kind: 'ask' }],
    ['from its beginning with no point of it: the source is asked', ring(9, null, 11), { kind: 'ask' }],
  ])('%s', (_, chain, plan) => {
    expect(reconcile(chain, applied)).toEqual(plan);
  });

  it('whose blocks are not all kept: the source is asked', () => {
    const chain = ring(9, 3, 4, 5);
    chain.strip(at(4));
    expect(reconcile(chain, applied)).toEqual({ kind: 'ask' });
  });

  it('of a pool without any block begins where the source begins', () => {
    const empty = ChainRing.of(9, []);
    expect(reconcile(ring(9, null, 1), empty)).toEqual({ kind: 'apply', from: null, blocks: [block(1)] });
    expect(reconcile(ring(9, 1, 2), empty)).toEqual({ kind: 'ask' });
    const later = new ChainRing(9, at(7), at(7));
    later.push(at(8), block(8));
    expect(reconcile(later, empty)).toEqual({ kind: 'apply', from: null, blocks: [block(8)] });
  });
});
