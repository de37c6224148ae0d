import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const tipped = (most: number | bigint, tip: number | bigint, more: Draft = {}): Draft => ({
  maxPriority: BigInt(most),
  tip: BigInt(tip),
  ...more,
});
const plain = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });

/** What the ready ones pay, best first. */
async function paid(scene: Scene): Promise<bigint[]> {
  return (await scene.store.reap()).map(({ priority }) => priority);
}

const placeCases = eachRanked({
  'P29/pays: one with a tip pays the floor and its tip, but not more than it may': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5), b: tipped(12, 9), c: plain(14), d: tipped(10, 0) });
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['a', 'c', 'b', 'd'],
        [15n, 14n, 12n, 10n],
      ],
    );
    const { effectivePriority } = (await scene.place('a')) ?? {};
    assert.equal(effectivePriority, 15n);
  },
});

/** P29. */
export const tipCases: readonly ConformanceCase[] = [...placeCases];
