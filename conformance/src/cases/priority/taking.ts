import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { gist } from '../../scenario/pool.ts';
import { eachOnPriorityPool, ladder, onPriorityPool, type Scene } from '../../scenario/priority.ts';

type Options = Parameters<AnyStore['take']>[1];

const mine: Options = { owner: 'me', claimMs: 1_000 };

async function takeNames(scene: Scene, maxTxs: number, options: Options = mine): Promise<string[]> {
  return scene.names((await scene.store.take({ maxTxs }, options)).transactions);
}

/** What ends a claim before its time. */
const endings: readonly (readonly [string, string, (scene: Scene) => Promise<unknown>])[] = [
  ['acknowledged', 'acknowledging', (scene) => scene.acknowledge('t0')],
];

function ends([id, title, end]: (typeof endings)[number]): ConformanceCase {
  return onPriorityPool(`P8/ended-when-${id}`, `${title} ends the claim`, async (scene) => {
    await scene.fill(ladder([2, 1]));
    await takeNames(scene, 2, { ...mine, operationId: 'one' });
    await end(scene);
    const { claims } = await scene.dump();
    assert.deepEqual(claims, [['one', [scene.hash('t1')]]]);
    const stages = await scene.stages('t0');
    scene.clock.nowMs += 1_001;
    assert.deepEqual(scene.names((await scene.store.sweep()).returned), ['t1']);
    assert.deepEqual(await scene.stages('t0'), stages);
  });
}

const onePool = eachOnPriorityPool({
  'P8/own-id: without an operation id every take has a claim id of its own': async (scene) => {
    await scene.fill(ladder([1, 2]));
    const [a, b] = [await scene.store.take({ maxTxs: 1 }, mine), await scene.store.take({ maxTxs: 1 }, mine)];
    assert.notEqual(a.claimId, b.claimId);
    assert.deepEqual([scene.names(a.transactions), scene.names(b.transactions)], [['t1'], ['t0']]);
  },
  'P8/repeated: a repeat with the same id takes nothing more': async (scene) => {
    await scene.fill(ladder([3, 2, 1]));
    const options = { ...mine, operationId: 'op' };
    const first = await scene.store.take({ maxTxs: 2 }, options);
    await scene.fill({ better: { priority: 9n } });
    await scene.unchanged(async () => assert.deepEqual(await scene.store.take({ maxTxs: 2 }, options), first));
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
  'P8/lease-end: a claim that has ended gives its transactions back, at their places': async (scene) => {
    await scene.fill(ladder([3, 2, 1]));
    const order = await scene.order();
    await takeNames(scene, 2);
    scene.clock.nowMs += 1_000;
    assert.deepEqual((await scene.store.sweep()).returned, []);
    scene.clock.nowMs += 1;
    const events = await scene.eventsOf(async () => {
      assert.deepEqual(scene.names((await scene.store.sweep()).returned), ['t0', 't1']);
    });
    assert.deepEqual(
      events.map(gist),
      scene.hashes(['t0', 't1']).map((hash) => `Pending ${hash}`),
    );
    assert.deepEqual([await scene.order(), (await scene.dump()).claims], [order, []]);
  },
  'P8/given-time: a claim begins at the time of the call, which is never past the pool’s': async (scene) => {
    await scene.fill(ladder([2, 1]));
    const { nowMs } = scene.clock;
    const early = await scene.store.take({ maxTxs: 1 }, { ...mine, now: nowMs - 300 });
    const late = await scene.store.take({ maxTxs: 1 }, { ...mine, now: nowMs + 300 });
    assert.deepEqual([early.untilMs, late.untilMs], [nowMs + 700, nowMs + 1_000]);
  },
  'P8/by-end: claims are given back in the order of their ends, then by seq': async (scene) => {
    await scene.fill(ladder([5, 4, 3, 2]));
    await takeNames(scene, 2, { ...mine, claimMs: 2_000 });
    await takeNames(scene, 2, { ...mine, claimMs: 1_000 });
    scene.clock.nowMs += 2_001;
    assert.deepEqual(scene.names((await scene.store.sweep()).returned), ['t2', 't3', 't0', 't1']);
  },
  'P8/skip: taking passes over what does not fit, as reaping does': async (scene) => {
    await scene.fill({ giant: { priority: 9n, bytes: 500 }, ...ladder([2, 1]) });
    const lot = await scene.store.take({ maxBytes: 100, skip: 1 }, mine);
    assert.deepEqual(scene.names(lot.transactions), ['t0', 't1']);
    assert.deepEqual(await scene.stages('giant'), ['Pending']);
  },
  'P8/gas: taking ends at the first transaction without enough gas left, as reaping does': async (scene) => {
    await scene.fill({ ...ladder([5, 4, 3], { gas: 4 }), free: {} });
    const lot = await scene.store.take({ maxGas: 8 }, mine);
    assert.deepEqual(scene.names(lot.transactions), ['t0', 't1']);
    assert.deepEqual((await scene.store.take({ maxGas: 3 }, mine)).transactions, []);
    assert.deepEqual(scene.names((await scene.store.take({ maxGas: 3, skip: 1 }, mine)).transactions), ['free']);
    assert.deepEqual(await scene.ready(), ['t2']);
  },
  'P8/overhead: taking counts overheadBytes for each transaction, as reaping does': async (scene) => {
    await scene.fill(ladder([5, 4, 3]));
    const lot = await scene.store.take({ maxBytes: 60, overheadBytes: 10 }, mine);
    assert.deepEqual(scene.names(lot.transactions), ['t0', 't1']);
  },
});

export const takingCases: readonly ConformanceCase[] = [...onePool, ...endings.map(ends)];
