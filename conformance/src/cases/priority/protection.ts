import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const own = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), protected: true, ...more });
const other = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });
const tooMany = { kind: 'limit', limit: 'maxProtected' } as const;

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<string> {
  return (await scene.add(name, draft)).kind;
}

/** How many are protected, ready and parked. */
async function counts(scene: Scene): Promise<readonly number[]> {
  const load = await scene.load();
  return [load.protected, load.ready, load.parked];
}

const countingCases = eachRanked({
  'P28/too-many: over maxProtected a protected newcomer is refused, and without protection it comes in': async (
    context,
  ) => {
    const scene = await openScene(context, { maxProtected: 2 });
    await scene.fill({ a: own(1), b: own(1), c: other(1) });
    await scene.refuses('d', own(9), tooMany);
    assert.equal(await kindOf(scene, 'd', other(9)), 'received');
    await scene.store.setLimits({ maxProtected: 1 });
    assert.deepEqual(await counts(scene), [2, 4, 0]);
    await scene.drop('a');
    await scene.refuses('e', own(9), tooMany);
    await scene.drop('b');
    assert.equal(await kindOf(scene, 'e', own(9)), 'received');
  },
});

/** P28. */
export const protectionCases: readonly ConformanceCase[] = [...countingCases];
