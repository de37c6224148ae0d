import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

type Outcome = Awaited<ReturnType<AnyStore['revise']>>[number];
type Answer = Parameters<AnyStore['revise']>[0][number]['answer'];

async function revise(scene: Scene, name: string, version: number, answer: Answer, height = 0): Promise<Outcome> {
  const [outcome] = await scene.store.revise([{ hash: scene.hash(name), version, answer }], { height });
  return outcome ?? assert.fail('no outcome');
}

async function staleNames(scene: Scene, height: number, limit = 100): Promise<string[]> {
  return scene.names(await scene.store.stale({ height, limit }));
}

const onePool = eachOnPriorityPool({
  'P11/stale: transactions checked below a height are stale, the longest unchecked first': async (scene) => {
    await scene.add('a', {}, { height: 5 });
    await scene.add('b', { requires: ['missing'] }, { height: 3 });
    await scene.add('c', {}, { height: 5 });
    await scene.add('d', {}, { height: 9 });
    assert.deepEqual(await staleNames(scene, 9), ['b', 'a', 'c']);
    assert.deepEqual([await staleNames(scene, 9, 2), await staleNames(scene, 3)], [['b', 'a'], []]);
    const [first] = await scene.store.stale({ height: 9 });
    assert.deepEqual(first, { hash: scene.hash('b'), seq: 2, version: 1, checkedHeight: 3 });
  },
});

const ownPools = eachRanked({
  'P11/bounds: a new verdict that breaks a bound changes nothing and names it': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxAncestors: 1, maxDescendants: 1 });
    await scene.fill({ a: account('a', 0), b: account('a', 1), c: { provides: ['c'] } });
    await scene.fill({ d: { requires: ['c'] }, e: {} });
    const limit = (name: string, kind: string) => ({ kind: 'limit', hash: scene.hash(name), limit: kind });
    await scene.unchanged(async () => {
      assert.deepEqual(await revise(scene, 'e', 1, { gas: 11 }), limit('e', 'maxTxGas'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['a:1'] }), limit('e', 'maxAncestors'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['c'] }), limit('e', 'maxDescendants'));
    });
    assert.equal((await revise(scene, 'e', 1, { gas: 10 })).kind, 'revised');
  },
});

export const recheckCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
