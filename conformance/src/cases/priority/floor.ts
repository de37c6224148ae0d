import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import {
  atLeast,
  type Drafts,
  eachOnPriorityPool,
  minPriority,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';

const family: Drafts = {
  rich: { priority: 9n, provides: ['r'] },
  child: { priority: 8n, requires: ['r'] },
  cheapChild: { priority: 2n, requires: ['r'], provides: ['c'] },
  grandchild: { priority: 7n, requires: ['c'] },
  poor: { priority: 3n },
};

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

/** How many are ready, parked and below the floor. */
async function counts(scene: Scene): Promise<readonly number[]> {
  const { ready, parked, belowFloor } = await scene.load();
  return [ready, parked, belowFloor];
}

const onePool = eachOnPriorityPool({
  'P26/rises: what falls below a floor that rises is parked, with what depends on it, and told': async (scene) => {
    await scene.fill(family);
    assert.deepEqual(await told(scene, () => raise(scene, 5n)), [
      'cheapChild parked, below-floor',
      'grandchild parked, below-floor',
      'poor parked, below-floor',
    ]);
    assert.deepEqual(await scene.ready(), ['rich', 'child']);
    assert.deepEqual(await scene.parked(), ['cheapChild', 'grandchild', 'poor']);
    assert.deepEqual(await told(scene, () => raise(scene, 5n)), []);
  },
  'P26/falls: what a floor that falls reaches becomes ready again, in its old place, and is told': async (scene) => {
    await scene.fill(family);
    await raise(scene, 100n);
    assert.deepEqual(await scene.ready(), []);
    assert.deepEqual(await told(scene, () => raise(scene, 3n)), ['rich ready', 'child ready', 'poor ready']);
    assert.deepEqual(await scene.ready(), ['rich', 'child', 'poor']);
    await raise(scene, minPriority);
    assert.deepEqual(await scene.ready(), ['rich', 'child', 'poor', 'cheapChild', 'grandchild']);
  },
  'P26/exact: a priority that equals the floor is not below it, also at 64 bits': async (scene) => {
    const [one, two] = [2n ** 53n, 2n ** 53n + 1n];
    await scene.fill({ a: { priority: one }, b: { priority: two }, c: { priority: -1n } });
    await raise(scene, two);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['b'], ['a', 'c']]);
    assert.deepEqual((await scene.store.setLimits({})).minPriority, two);
    await raise(scene, -1n);
    assert.deepEqual(await scene.ready(), ['b', 'a', 'c']);
  },
  'P26/arrives: what arrives below the floor is parked, and what arrives above is ready': async (scene) => {
    await raise(scene, 5n);
    const events = await told(scene, async () => {
      const outcomes = await scene.addAll({ poor: { priority: 4n }, rich: { priority: 5n }, alone: { priority: 1n } });
      assert.deepEqual(
        outcomes.map((outcome) => outcome.kind === 'received' && outcome.parked === true),
        [true, false, true],
      );
    });
    assert.deepEqual(events.slice(3), ['poor parked, below-floor', 'alone parked, below-floor']);
    assert.deepEqual(await scene.ready(), ['rich']);
  },
  'P26/arrives-alone: a lone newcomer below the floor is parked': async (scene) => {
    await raise(scene, 5n);
    const outcome = await scene.add('poor', { priority: 4n });
    assert.deepEqual([outcome.kind, outcome.kind === 'received' && outcome.parked], ['received', true]);
    assert.deepEqual([await scene.ready(), await scene.parked()], [[], ['poor']]);
  },
  'P26/counted: usage counts what is below the floor apart, whatever else it waits for': async (scene) => {
    await scene.fill({ ...family, waits: { priority: 9n, requires: ['m'] }, both: { priority: 1n, requires: ['m'] } });
    assert.deepEqual(await counts(scene), [5, 2, 0]);
    await raise(scene, 5n);
    assert.deepEqual(await counts(scene), [2, 5, 4]);
    await scene.drop('poor');
    assert.deepEqual(await counts(scene), [2, 4, 3]);
    await raise(scene, minPriority);
    assert.deepEqual(await counts(scene), [4, 2, 0]);
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
  'P26/not-taken: what is below the floor is neither taken nor marked in flight, and what is in flight stays': async (
    scene,
  ) => {
    await scene.fill({ out: { priority: 1n }, poor: { priority: 1n } });
    await scene.mark('out');
    await raise(scene, 5n);
    assert.deepEqual([await scene.mark('poor'), await scene.inflight()], [[], ['out']]);
    const { transactions } = await scene.store.take({}, { owner: 'w', claimMs: 1_000 });
    assert.deepEqual([transactions, await scene.store.hasPending()], [[], false]);
    assert.deepEqual([await scene.release('out'), await scene.parked()], [scene.hashes(['out']), ['out', 'poor']]);
  },
  'P26/gossip: peers are told of what was below the floor when it becomes ready': async (scene) => {
    await raise(scene, 5n);
    await scene.fill({ poor: { priority: 4n }, rich: { priority: 6n } });
    const first = await scene.store.since();
    assert.deepEqual(scene.names(first.items), ['rich']);
    await raise(scene, 4n);
    assert.deepEqual(scene.names((await scene.store.since({ after: first.next })).items), ['poor']);
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
  'P26/repeated: a floor set again under its operation id moves nothing': async (scene) => {
    await scene.fill({ a: { priority: 4n } });
    const once = { operationId: 'once' };
    const first = await scene.store.setLimits({ minPriority: 5n }, once);
    await raise(scene, 1n);
    await scene.unchanged(async () => {
      assert.deepEqual(await scene.store.setLimits({ minPriority: 5n }, once), first);
    });
    assert.deepEqual([first.minPriority, await scene.ready()], [5n, ['a']]);
    await assert.rejects(scene.store.setLimits({ minPriority: 6n }, once), { code: 'ERR_MEMPOOL_INVALID' });
  },
});

const ownPools = eachRanked({
  'P26/opened: an open sets the floor': async (context) => {
    const scene = await openScene(context, { minPriority: 5n });
    await scene.fill({ poor: { priority: 4n }, rich: { priority: 5n } });
    assert.deepEqual([await scene.ready(), await scene.parked()], [['rich'], ['poor']]);
    assert.equal((await scene.dump()).limits.minPriority, 5n);
  },
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
