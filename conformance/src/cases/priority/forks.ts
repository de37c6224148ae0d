import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { never, point } from '../../scenario/pool.ts';
import { eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';

async function staleNames(scene: Scene, height: number): Promise<string[]> {
  return scene.names(await scene.store.stale({ height }));
}

const onePool = eachOnPriorityPool({
  'P11/fork-of-the-same-height: what was checked on an undone block is stale': async (scene) => {
    await scene.blocks(1, 2);
    await scene.fill({ before: {} });
    await scene.block(3);
    await scene.fill({ after: {} });
    await scene.store.rollback(point(2));
    assert.deepEqual(await staleNames(scene, 2), ['after']);
    await scene.block(4);
    assert.deepEqual(await staleNames(scene, 3), ['after', 'before']);
    await scene.store.revise([{ hash: scene.hash('after'), version: 1, answer: {} }]);
    assert.deepEqual(await staleNames(scene, 3), ['before']);
  },
  'P11/fork-by-callers-heights: the same holds where callers count another height than the pool': async (scene) => {
    await scene.blocks(1, 5);
    await scene.add('old', {}, { height: 90 });
    await scene.add('before', {}, { height: 98 });
    await scene.add('first', {}, { height: 99 });
    await scene.add('second', {}, { height: 100 });
    await scene.store.rollback(point(3));
    assert.deepEqual(await staleNames(scene, 98), ['old', 'first', 'second']);
    assert.deepEqual((await scene.entry('old')).checkedHeight, 90);
  },
});

const ownPools = eachRanked({
  'P11/fork-and-what-is-away: one that was away while its block was undone returns stale': async (context) => {
    const scene = await openScene(context, never);
    await scene.block(1);
    await scene.fill(ladder([5, 4, 3, 2]));
    await scene.blocks(2, 4);
    for (const name of ['t0', 't1', 't2'])
      await scene.store.revise([{ hash: scene.hash(name), version: 1, answer: {} }]);
    await scene.mark('t0', 't1');
    await scene.acknowledge('t1');
    await scene.block(5, { seen: ['t2'] });
    await scene.store.rollback(point(2));
    await scene.release('t0', 't1');
    assert.deepEqual(await staleNames(scene, 2), ['t0', 't1', 't2', 't3']);
    const heights = await Promise.all(['t0', 't1', 't2', 't3'].map((name) => scene.entry(name)));
    assert.deepEqual(
      heights.map(({ checkedHeight }) => checkedHeight),
      [1, 1, 1, 1],
    );
  },
});

export const forkCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
