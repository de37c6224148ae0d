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
  'P5/lowest-out: a full pool drops its last one for one that pays more': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill(ladder([5, 3, 7]));
    assert.equal((await scene.add('new', { priority: 4n })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('t1')], [['t2', 't0', 'new'], ['evicted']]);
  },
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
  'P5/inherited-place: an old parent does not help its child to evict an equal': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill({ parent: { priority: 3n, provides: ['p'] }, a: { priority: 3n }, b: { priority: 3n } });
    await scene.refuses('child', { priority: 9n, requires: ['p'] }, { kind: 'full', floor: atLeast(4n) });
  },
  'P5/victim-returns: one that was just evicted does not come back while the pool is full': async (context) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill(ladder([3, 4, 5]));
    await scene.add('new', { priority: 6n });
    for (let i = 0; i < 3; i++) await scene.refuses('t0', { priority: 3n }, { kind: 'full', floor: atLeast(5n) });
    assert.deepEqual(await scene.stages('t0'), ['Dropped']);
  },
  'P5/bits: the last bit of 64 decides who leaves': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill(ladder([maxPriority - 1n, 2n ** 53n]));
    await scene.refuses('same', { priority: 2n ** 53n }, { kind: 'full', floor: atLeast(2n ** 53n + 1n) });
    await scene.fill({ more: { priority: 2n ** 53n + 1n } });
    await scene.fill({ most: { priority: maxPriority } });
    await scene.fill({ last: { priority: maxPriority } });
    assert.deepEqual(await scene.ready(), ['most', 'last']);
  },
  'P5/no-more-than-needed: only as many are evicted as make room, and none if there is room': async (context) => {
    const scene = await openScene(context, { maxBytes: 100 });
    await scene.fill({
      a: { priority: 1n, bytes: 30 },
      b: { priority: 2n, bytes: 30 },
      c: { priority: 3n, bytes: 30 },
    });
    await scene.add('fits', { priority: 9n, bytes: 10 });
    assert.deepEqual(await scene.stages('a'), ['Pending']);
    await scene.add('new', { priority: 9n, bytes: 30 });
    assert.deepEqual(await scene.stages('a', 'b', 'c', 'fits'), ['Dropped', 'Pending', 'Pending', 'Pending']);
    await scene.drop('fits');
    await scene.add('large', { priority: 9n, bytes: 40 });
    assert.deepEqual(await scene.stages('b', 'c', 'new', 'large'), ['Dropped', 'Pending', 'Pending', 'Pending']);
  },
  'P5/both-limits: as many leave as both limits need': async (context) => {
    const scene = await openScene(context, { maxBytes: 100, maxTxs: 4 });
    await scene.fill(ladder([1, 2, 3, 4], { bytes: 25 }));
    await scene.add('new', { priority: 9n, bytes: 60 });
    assert.deepEqual(await scene.ready(), ['new', 't3']);
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
  'P5/parked-never-evicts-ready: a parked one never evicts a ready one': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill(ladder([minPriority, 1]));
    const refused = { kind: 'full', floor: atLeast(minPriority + 1n) } as const;
    await scene.refuses('new', { priority: maxPriority, requires: missing }, refused);
  },
  'P5/parked-among-themselves: a parked one evicts a parked one that pays less': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    const requires = missing;
    await scene.fill({ a: { priority: 5n, requires }, b: { priority: 1n } });
    await scene.refuses('new', { priority: 5n, requires }, { kind: 'full', floor: { kind: 'open' } });
    assert.equal((await scene.add('new', { priority: 6n, requires })).kind, 'received');
    assert.deepEqual(await scene.order(), ['b', 'new']);
  },
  'P5/child-by-what-its-parents-pay: a rich child of a poor parent evicts what its parent could': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ parent: { priority: 2n, provides: ['p'] }, a: { priority: 2n } });
    await scene.refuses('child', { priority: 99n, requires: ['p'] }, { kind: 'full', floor: atLeast(3n) });
    await scene.drop('a');
    await scene.fill({ b: { priority: 1n } });
    assert.equal((await scene.add('child', { priority: 99n, requires: ['p'] })).kind, 'received');
    assert.deepEqual(await scene.ready(), ['parent', 'child']);
  },
  'P5/max-evictions: one newcomer evicts at most maxEvictions': async (context) => {
    const scene = await openScene(context, { maxBytes: 100, maxEvictions: 3 });
    await scene.fill(ladder([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], { bytes: 10 }));
    await scene.refuses('large', { priority: 99n, bytes: 31 }, { kind: 'full', floor: atLeast(2n) });
    assert.equal((await scene.add('large', { priority: 99n, bytes: 30 })).kind, 'received');
    assert.equal((await scene.ready()).length, 8);
  },
  'P5/default-max-evictions: by default a large one does not evict more than a hundred': async (context) => {
    const scene = await openScene(context, { maxBytes: 150 });
    await scene.addAll(ladder(Array<number>(150).fill(1), { bytes: 1 }));
    await scene.refuses('large', { priority: 99n, bytes: 101 }, { kind: 'full', floor: atLeast(2n) });
    assert.equal((await scene.add('large', { priority: 99n, bytes: 100 })).kind, 'received');
    assert.equal((await scene.ready()).length, 51);
  },
  'P5/too-large-for-any-pool: one larger than the whole pool is refused at any priority': async (context) => {
    const scene = await openScene(context, { maxBytes: 100 });
    await scene.fill(ladder([1]));
    await scene.refuses('large', { priority: maxPriority, bytes: 101 }, { kind: 'full', floor: { kind: 'open' } });
  },
  'P5/no-eviction: without eviction a full pool is closed and refuses': async (context) => {
    const scene = await openScene(context, { maxTxs: 2, eviction: 'none' });
    await scene.fill({ a: { priority: 1n }, b: { priority: 1n, requires: missing } });
    await scene.refuses('new', { priority: maxPriority }, { kind: 'full', floor: { kind: 'closed' } });
    assert.deepEqual(await floorOf(scene), { kind: 'closed' });
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
  'P5/floor-over-parked: while a parked one can leave, every priority is enough': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ a: { priority: 5n }, b: { priority: 9n, requires: missing } });
    assert.deepEqual(await floorOf(scene), { kind: 'open' });
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
  'P5/whole-excess: a pool over its limits receives one only if its whole excess is freed': async (scene) => {
    await scene.fill(ladder([1, 2, 3, 4, 9]));
    await scene.store.setLimits({ maxTxs: 3 });
    await scene.refuses('low', { priority: 3n }, { kind: 'full', floor: atLeast(4n) });
    assert.equal((await scene.add('new', { priority: 4n })).kind, 'received');
    assert.deepEqual(await scene.ready(), ['t4', 't3', 'new']);
  },
  'P5/floor-over-limits: the floor of a pool over its limits is above all that would have to leave': async (scene) => {
    await scene.fill(ladder([1, 2, 3, 4]));
    await scene.store.setLimits({ maxTxs: 2 });
    assert.deepEqual(await floorOf(scene), atLeast(4n));
    await scene.store.setLimits({ maxEvictions: 2 });
    assert.deepEqual(await floorOf(scene), { kind: 'closed' });
  },
});

export const evictionCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
