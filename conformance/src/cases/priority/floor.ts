import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { atLeast, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

function raise(scene: Scene, floor: bigint): Promise<unknown> {
  return scene.store.setLimits({ minPriority: floor });
}

/** The events of a call in a few words. */
async function told(scene: Scene, run: () => Promise<unknown>): Promise<string[]> {
  const events = await scene.eventsOf(run);
  return events.map((event) => {
    const [name] = event.kind === 'block' ? ['block'] : scene.names([event]);
    return event.kind === 'parked' ? `${name} parked, ${event.reason}` : `${name} ${event.kind}`;
  });
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
  'P26/arrives-alone: a lone newcomer below the floor is parked': async (scene) => {
    await raise(scene, 5n);
    const outcome = await scene.add('poor', { priority: 4n });
    assert.deepEqual([outcome.kind, outcome.kind === 'received' && outcome.parked], ['received', true]);
    assert.deepEqual([await scene.ready(), await scene.parked()], [[], ['poor']]);
  },
  'P26/reason: what is held back is told as that, what is below the floor as that, and only then what misses a tag':
    async (scene) => {
      await scene.fill({ back: { priority: 1n } });
      await scene.mark('back');
      await raise(scene, 5n);
      const notBeforeMs = scene.clock.nowMs + 1_000;
      const events = await told(scene, async () => {
        await scene.store.release([scene.hash('back')], { notBeforeMs });
        await scene.fill({ both: { priority: 4n, requires: ['m'] }, rich: { priority: 6n, requires: ['m'] } });
      });
      assert.deepEqual(
        events.filter((event) => event.includes('parked')),
        ['back parked, held', 'both parked, below-floor', 'rich parked, missing'],
      );
    },
  'P26/revised: a new verdict lifts a transaction above the floor, or parks it': async (scene) => {
    await scene.fill({ a: { priority: 4n }, b: { priority: 6n } });
    await raise(scene, 5n);
    await scene.store.revise([
      { hash: scene.hash('a'), version: 1, answer: { priority: 7n } },
      { hash: scene.hash('b'), version: 1, answer: { priority: 3n } },
    ]);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['a'], ['b']]);
  },
});

const ownPools = eachRanked({
  'P26/parking-room: what is below the floor takes room for parked ones, and a sweep frees it': async (context) => {
    const scene = await openScene(context, { maxParked: 1 });
    await scene.fill({ a: { priority: 1n }, b: { priority: 2n } });
    await raise(scene, 5n);
    assert.deepEqual(await scene.parked(), ['a', 'b']);
    const { evicted } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual(scene.names(evicted), ['a']);
    const outcome = await scene.add('c', { priority: 1n });
    assert.deepEqual(outcome, { kind: 'limit', hash: scene.hash('c'), limit: 'maxParked' });
  },
  'P26/full: in a full pool what is below the floor leaves first, and the floor of usage is at least this one': async (
    context,
  ) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ poor: { priority: 4n }, rich: { priority: 9n } });
    await raise(scene, 5n);
    assert.deepEqual((await scene.load()).floor, atLeast(5n));
    await scene.fill({ five: { priority: 5n } });
    assert.deepEqual([await scene.ready(), await scene.reasons('poor')], [['rich', 'five'], ['evicted']]);
    assert.deepEqual((await scene.load()).floor, atLeast(6n));
  },
});

/** P26. */
export const floorCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
