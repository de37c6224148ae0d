import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { type Drafts, eachOnPriorityPool, type Scene } from '../../scenario/priority.ts';

/** The ready transactions in the order of the pool, each with the names of its parents. */
async function parentsIn(scene: Scene): Promise<(readonly [string | undefined, readonly string[]])[]> {
  const ranked = await scene.store.best();
  return ranked.map((one) => [scene.names([one])[0], scene.names(one.parents)]);
}

const family: Drafts = {
  parent: { priority: 9n, provides: ['p'] },
  child: { priority: 8n, requires: ['p'], provides: ['c'] },
  grandchild: { priority: 7n, requires: ['c'] },
  other: { priority: 2n },
};

const onePool = eachOnPriorityPool({
  'P25/parents-met: what is in flight, or what a block satisfied, is no parent': async (scene) => {
    await scene.block(1, { provides: ['chain'] });
    await scene.fill({ out: { provides: ['o'] }, wait: { priority: 9n, provides: ['w'] } });
    await scene.fill({ child: { requires: ['o', 'w', 'chain'] } });
    assert.deepEqual((await parentsIn(scene)).at(-1), ['child', ['out', 'wait']]);
    await scene.mark('out');
    assert.deepEqual((await parentsIn(scene)).at(-1), ['child', ['wait']]);
    await scene.block(2, { seen: ['wait'] });
    assert.deepEqual(await parentsIn(scene), [['child', []]]);
    await scene.release('out');
    assert.deepEqual(await parentsIn(scene), [
      ['out', []],
      ['child', ['out']],
    ]);
  },
  'P25/parents-of-pages: parents are told on a page that does not have them': async (scene) => {
    await scene.fill(family);
    const [first] = await scene.store.best({ limit: 1 });
    const [second] = await scene.store.best({ limit: 1, after: first?.key });
    assert.deepEqual([scene.names([second?.hash ?? '']), scene.names(second?.parents ?? [])], [['child'], ['parent']]);
  },
});

/** P25. */
export const walkingCases: readonly ConformanceCase[] = onePool;
