import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPriorityPool, type Scene } from '../../scenario/priority.ts';

function raise(scene: Scene, floor: bigint): Promise<unknown> {
  return scene.store.setLimits({ minPriority: floor });
}

const onePool = eachOnPriorityPool({
  'P26/exact: a priority that equals the floor is not below it, also at 64 bits': async (scene) => {
    const [one, two] = [2n ** 53n, 2n ** 53n + 1n];
    await scene.fill({ a: { priority: one }, b: { priority: two }, c: { priority: -1n } });
    await raise(scene, two);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['b'], ['a', 'c']]);
    assert.deepEqual((await scene.store.setLimits({})).minPriority, two);
    await raise(scene, -1n);
    assert.deepEqual(await scene.ready(), ['b', 'a', 'c']);
  },
});

/** P26. */
export const floorCases: readonly ConformanceCase[] = [...onePool];
