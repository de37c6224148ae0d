import assert from 'node:assert/strict';
import type { Floor } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import {
  atLeast,
  eachOnPriorityPool,
  ladder,
  maxPriority,
  minPriority,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';

async function floorOf(scene: Scene): Promise<Floor> {
  return (await scene.load()).floor;
}

const missing = ['missing'];

const ownPools = eachRanked({
  'P5/latest-of-equals-out: of equals the one that came last is dropped': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill(ladder([3, 3, 3]));
    await scene.add('new', { priority: 4n });
    assert.deepEqual(await scene.ready(), ['new', 't0', 't1']);
  },
  'P5/equal-churn: an equal never evicts an equal': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill(ladder([3, 3, 3]));
    for (let i = 0; i < 10; i++) await scene.refuses(`n${i}`, { priority: 3n }, { kind: 'full', floor: atLeast(4n) });
  },
  'P5/children-first: a parent leaves after its descendants, never before them': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill({
      parent: { priority: 1n, provides: ['p'] },
      child: { priority: 9n, requires: ['p'] },
      a: { priority: 5n },
    });
    await scene.fill({ new: { priority: 6n } });
    assert.deepEqual([await scene.ready(), await scene.reasons('child')], [['new', 'a', 'parent'], ['evicted']]);
    await scene.fill({ more: { priority: 7n } });
    assert.deepEqual([await scene.ready(), await scene.parked()], [['more', 'new', 'a'], []]);
  },
  'P5/parked-first: the parked leave before the ready, whatever they pay': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill({ a: { priority: minPriority }, b: { priority: 100n, requires: missing }, c: { priority: 0n } });
    assert.equal((await scene.add('new', { priority: minPriority })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.stages('b')], [['c', 'a', 'new'], ['Dropped']]);
  },
  'P5/in-flight-stays: a transaction in flight counts and is never evicted': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill(ladder([1, 2]));
    await scene.mark('t0', 't1');
    await scene.acknowledge('t1');
    await scene.refuses('new', { priority: maxPriority }, { kind: 'full', floor: { kind: 'closed' } });
    await scene.block(1, { seen: ['t0'] });
    assert.equal((await scene.add('new', { priority: minPriority })).kind, 'received');
  },
  'P5/promoted-descendant-out: a newcomer may evict one that it makes ready': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ child: { priority: 1n, requires: ['p'] }, other: { priority: 9n } });
    assert.equal((await scene.add('parent', { priority: 5n, provides: ['p'] })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('child')], [['other', 'parent'], ['evicted']]);
  },
  'P5/told: evicted ones are Dropped with reason "evicted", in log and events, by seq': async (context) => {
    const scene = await openScene(context, { maxBytes: 60 });
    await scene.fill(ladder([2, 1, 3]));
    const events = await scene.eventsOf(() => scene.add('new', { priority: 9n, bytes: 40 }));
    assert.deepEqual(
      events.map((event) => event.kind === 'transaction' && [event.hash, event.stage, event.reason]),
      [
        [scene.hash('t0'), 'Dropped', 'evicted'],
        [scene.hash('t1'), 'Dropped', 'evicted'],
        [scene.hash('new'), 'Pending', null],
      ],
    );
    assert.deepEqual(scene.names((await scene.store.dumpFinalized()).entries), ['t0', 't1']);
  },
  'P5/floor-with-room: with room every priority is enough': async (context) => {
    const scene = await openScene(context, { maxTxs: 2, maxBytes: 41 });
    await scene.fill({ t0: { priority: 5n } });
    assert.deepEqual(await floorOf(scene), { kind: 'open' });
    await scene.fill({ t1: { priority: 7n } });
    assert.deepEqual(await floorOf(scene), atLeast(6n));
  },
  'P5/floor-of-bytes: a pool without a free byte has the floor of its last one': async (context) => {
    const scene = await openScene(context, { maxBytes: 40 });
    await scene.fill(ladder([5, 7]));
    assert.deepEqual(await floorOf(scene), atLeast(6n));
  },
  'P5/floor-none: if the last one has the highest priority, no priority is enough': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    await scene.fill(ladder([maxPriority]));
    assert.deepEqual(await floorOf(scene), { kind: 'closed' });
    await scene.refuses('new', { priority: maxPriority }, { kind: 'full', floor: { kind: 'closed' } });
  },
  'P5/floor-is-true: one byte at the floor is received, a priority below it is refused': async (context) => {
    const scene = await openScene(context, { maxTxs: 12, maxBytes: 200 });
    for (let i = 0; i < 60; i++) {
      const floor = await floorOf(scene);
      assert.notEqual(floor.kind, 'closed');
      const least = floor.kind === 'at-least' ? floor.priority : 0n;
      if (floor.kind === 'at-least')
        await scene.refuses('low', { priority: least - 1n, bytes: 1 }, { kind: 'full', floor });
      const priority = BigInt(context.random.below(1_000)) + least;
      await scene.add(`n${i}`, { priority, bytes: 1 + context.random.below(40) });
    }
    const floor = await floorOf(scene);
    const priority = floor.kind === 'at-least' ? floor.priority : minPriority;
    assert.equal((await scene.add('exact', { priority, bytes: 1 })).kind, 'received');
  },
});

const onePool = eachOnPriorityPool({
  'P5/floor-over-limits: the floor of a pool over its limits is above all that would have to leave': async (scene) => {
    await scene.fill(ladder([1, 2, 3, 4]));
    await scene.store.setLimits({ maxTxs: 2 });
    assert.deepEqual(await floorOf(scene), atLeast(4n));
    await scene.store.setLimits({ maxEvictions: 2 });
    assert.deepEqual(await floorOf(scene), { kind: 'closed' });
  },
});

export const evictionCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
