import assert from 'node:assert/strict';
import type { Floor } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { ladder, minPriority, openScene, type Scene } from '../../scenario/priority.ts';

async function floorOf(scene: Scene): Promise<Floor> {
  return (await scene.load()).floor;
}

const ownPools = eachRanked({
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

export const evictionCases: readonly ConformanceCase[] = [...ownPools];
