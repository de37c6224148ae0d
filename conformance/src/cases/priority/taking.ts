import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { gist } from '../../scenario/pool.ts';
import { eachOnPriorityPool, ladder, onPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

type Options = Parameters<AnyStore['take']>[1];

const mine: Options = { owner: 'me', claimMs: 1_000 };

async function takeNames(scene: Scene, maxTxs: number, options: Options = mine): Promise<string[]> {
  return scene.names((await scene.store.take({ maxTxs }, options)).transactions);
}

/** What ends a claim before its time. */
const endings: readonly (readonly [string, string, (scene: Scene) => Promise<unknown>])[] = [
  ['acknowledged', 'acknowledging', (scene) => scene.acknowledge('t0')],
  ['released', 'releasing', (scene) => scene.release('t0')],
  ['confirmed', 'a block with it', (scene) => scene.block(1, { seen: ['t0'] })],
  ['dropped', 'dropping', (scene) => scene.drop('t0')],
  ['taken-back', 'a block that takes it back', (scene) => scene.block(1, { unseen: ['t0'] })],
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
  'P8/in-flight: take puts the best in flight, best first, within the budget': async (scene) => {
    await scene.fill(ladder([1, 5, 3, 4]));
    const lot = await scene.store.take({ maxBytes: 45 }, mine);
    assert.deepEqual(scene.names(lot.transactions), ['t1', 't3']);
    assert.deepEqual(await scene.stages('t0', 't1', 't2', 't3'), ['Pending', 'Propagated', 'Pending', 'Propagated']);
    assert.deepEqual(await scene.ready(), ['t2', 't0']);
  },
  'P8/lot: take returns claim id, owner, end, and the candidates that reap would return with what O8 says': async (
    scene,
  ) => {
    await scene.fill(ladder([1, 2], { gas: 4 }));
    const due = await scene.store.reap();
    const lot = await scene.store.take({}, { owner: 'o-1', claimMs: 250, operationId: 'op' });
    const untilMs = scene.clock.nowMs + 250;
    const facts = { receivedAt: scene.clock.nowMs, attempts: 1 };
    const transactions = due.map((one) => ({ ...one, ...facts }));
    assert.deepEqual(lot, { claimId: 'op', owner: 'o-1', untilMs, transactions });
    assert.deepEqual((await scene.entry('t0')).claim, { id: 'op', owner: 'o-1', untilMs });
  },
  'P8/own-id: without an operation id every take has a claim id of its own': async (scene) => {
    await scene.fill(ladder([1, 2]));
    const [a, b] = [await scene.store.take({ maxTxs: 1 }, mine), await scene.store.take({ maxTxs: 1 }, mine)];
    assert.notEqual(a.claimId, b.claimId);
    assert.deepEqual([scene.names(a.transactions), scene.names(b.transactions)], [['t1'], ['t0']]);
  },
  'P8/nothing-left: a take from a pool with nothing ready returns an empty claim': async (scene) => {
    await scene.fill({ parked: { requires: ['missing'] } });
    assert.deepEqual(await takeNames(scene, 5), []);
  },
  'P8/repeated: a repeat with the same id takes nothing more': async (scene) => {
    await scene.fill(ladder([3, 2, 1]));
    const options = { ...mine, operationId: 'op' };
    const first = await scene.store.take({ maxTxs: 2 }, options);
    await scene.fill({ better: { priority: 9n } });
    await scene.unchanged(async () => assert.deepEqual(await scene.store.take({ maxTxs: 2 }, options), first));
  },
  'P8/nothing-taken: a take that found nothing is recorded: its repeat takes nothing': async (scene) => {
    const options = { ...mine, operationId: 'op' };
    const first = await scene.store.take({}, options);
    await scene.fill({ late: {} });
    await scene.unchanged(async () => assert.deepEqual(await scene.store.take({}, options), first));
  },
  'P8/repeated-later: a repeat with the same id gives what is still under the claim': async (scene) => {
    await scene.fill(ladder([4, 3, 2, 1]));
    const options = { ...mine, operationId: 'op' };
    const first = await scene.store.take({}, options);
    await scene.acknowledge('t0');
    await scene.release('t2');
    await scene.unchanged(async () => {
      const { transactions, ...claim } = await scene.store.take({}, options);
      const { transactions: _, ...before } = first;
      assert.deepEqual([claim, scene.names(transactions)], [before, ['t1', 't3']]);
    });
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
  'P8/marked-has-no-lease: a sweep does not return a transaction marked in flight by hash': async (scene) => {
    await scene.fill(ladder([2, 1]));
    await scene.mark('t0');
    await takeNames(scene, 1);
    scene.clock.nowMs += 10_000;
    assert.deepEqual(scene.names((await scene.store.sweep()).returned), ['t1']);
    assert.deepEqual(await scene.stages('t0'), ['Propagated']);
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
  'P8/child-follows: a child whose parent was taken may be taken next': async (scene) => {
    await scene.fill({
      parent: { priority: 1n, provides: ['p'] },
      child: { priority: 9n, requires: ['p'] },
      a: { priority: 5n },
    });
    assert.deepEqual(await takeNames(scene, 2), ['a', 'parent']);
    assert.deepEqual(await takeNames(scene, 2), ['child']);
  },
});

const ownPools = eachRanked({
  'P8/counters-cleared: what a claim gives back has no counters': async (context) => {
    const scene = await openScene(context, { dropThreshold: 5 });
    await scene.fill(ladder([1]));
    await takeNames(scene, 1);
    await scene.blocks(1, 3);
    assert.equal((await scene.statuses(['t0']))[0]?.nonConfirmations, 3);
    scene.clock.nowMs += 1_001;
    await scene.store.sweep();
    await scene.mark('t0');
    await scene.block(4);
    assert.equal((await scene.statuses(['t0']))[0]?.nonConfirmations, 1);
  },
});

export const takingCases: readonly ConformanceCase[] = [...onePool, ...endings.map(ends), ...ownPools];
