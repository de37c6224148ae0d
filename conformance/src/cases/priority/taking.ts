import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPriorityPool, ladder, type Scene } from '../../scenario/priority.ts';

type Options = Parameters<AnyStore['take']>[1];

const mine: Options = { owner: 'me', claimMs: 1_000 };

async function takeNames(scene: Scene, maxTxs: number, options: Options = mine): Promise<string[]> {
  return scene.names((await scene.store.take({ maxTxs }, options)).transactions);
}

const onePool = eachOnPriorityPool({
  'P8/own-id: without an operation id every take has a claim id of its own': async (scene) => {
    await scene.fill(ladder([1, 2]));
    const [a, b] = [await scene.store.take({ maxTxs: 1 }, mine), await scene.store.take({ maxTxs: 1 }, mine)];
    assert.notEqual(a.claimId, b.claimId);
    assert.deepEqual([scene.names(a.transactions), scene.names(b.transactions)], [['t1'], ['t0']]);
  },
  'P8/repeated-after-its-end: a repeat after the claim has ended has nothing, though others took it': async (scene) => {
    await scene.fill(ladder([2, 1]));
    const options = { ...mine, operationId: 'op' };
    await scene.store.take({}, options);
    scene.clock.nowMs += 1_001;
    await scene.store.sweep();
    await takeNames(scene, 1, { ...mine, owner: 'other', operationId: 'op 2' });
    assert.deepEqual((await scene.store.take({}, options)).transactions, []);
    assert.deepEqual(await scene.stages('t0', 't1'), ['Propagated', 'Pending']);
  },
});

export const takingCases: readonly ConformanceCase[] = [...onePool];
