import { expect, test } from 'vitest';
import { decodeLimits, encodeLimits } from '../../src/codec/limits-text.ts';
import { defaultLimits } from '../../src/contract/limits.ts';
import { maxPriority, minPriority } from '../../src/contract/verdict.ts';
import type { PlacedNode } from '../../src/priority/pool-node.ts';
import { Ranking } from '../../src/priority/ranking.ts';

function nodeAt(seq: number, ready: boolean, effectivePriority: bigint): PlacedNode {
  const place = { ready, effectivePriority, tieBreakSeq: seq, depth: 0, seq };
  return { seq, place } as PlacedNode;
}

test('the floor is stored exactly, and a pool that has none stored has the lowest one', () => {
  for (const floor of [minPriority, maxPriority, 0n, -(2n ** 53n) - 1n]) {
    const limits = { ...defaultLimits, minPriority: floor };
    expect(decodeLimits(encodeLimits(limits))).toEqual(limits);
  }
  const { minPriority: _, ...former } = defaultLimits;
  expect(decodeLimits(JSON.stringify(former)).minPriority).toBe(minPriority);
  for (const wrong of ['2e3', '', String(maxPriority + 1n), 5])
    expect(() => decodeLimits(JSON.stringify({ ...former, minPriority: wrong }))).toThrow(
      expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }),
    );
});

test('what a floor crosses is found without a look at the rest, at both ends of 64 bits', () => {
  const order = new Ranking();
  const values = [minPriority, -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, maxPriority - 1n, maxPriority];
  const nodes = Array.from({ length: 700 }, (_, i) => nodeAt(i, i % 2 === 0, values[i % values.length] as bigint));
  for (const node of nodes) order.insert(node);
  for (const ready of [true, false])
    for (const least of values)
      for (const bound of values) {
        const isCrossed = ({ place }: PlacedNode): boolean =>
          place.ready === ready && place.effectivePriority >= least && place.effectivePriority < bound;
        expect([...order.between(ready, least, bound)].map(({ seq }) => seq).sort()).toEqual(
          nodes
            .filter(isCrossed)
            .map(({ seq }) => seq)
            .sort(),
        );
      }
  for (const bound of values)
    expect(order.countBelow(bound)).toBe(
      nodes.filter(({ place }) => !place.ready && place.effectivePriority < bound).length,
    );
});
