import assert from 'node:assert/strict';
import type { ReceiveOutcome } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { gist } from '../../scenario/pool.ts';
import { account, type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const requires = ['missing'];
const parked = (priority: number | bigint, sender = ''): Draft => ({ priority: BigInt(priority), sender, requires });

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<ReceiveOutcome['kind']> {
  return (await scene.add(name, draft)).kind;
}

const roomCases = eachRanked({
  'P22/worst-leaves: over maxParked the parked one of the lowest priority leaves as evicted, none that is ready':
    async (context) => {
      const scene = await openScene(context, { maxParked: 2 });
      await scene.fill({ ready: { priority: -9n }, low: parked(3), high: parked(5) });
      const events = await scene.eventsOf(async () => {
        assert.equal(await kindOf(scene, 'new', parked(4)), 'received');
      });
      const [low, newcomer] = scene.hashes(['low', 'new']);
      assert.deepEqual(events.map(gist), [`Dropped ${low}`, `Pending ${newcomer}`, `parked ${newcomer}`]);
      assert.deepEqual([await scene.order(), await scene.reasons('low')], [['ready', 'high', 'new'], ['evicted']]);
    },
  'P22/flood: a flood of parked ones keeps no other sender out, and no ready one': async (context) => {
    const scene = await openScene(context, { maxParked: 12, maxPerSender: 4 });
    for (let i = 0; i < 40; i++) await scene.add(`s${i}`, { ...account(`spam${i % 5}`, 9 + i), priority: 3n });
    await scene.fill({ h2: { ...account('honest', 2), priority: 3n }, h1: { ...account('honest', 1), priority: 3n } });
    await scene.fill({ h0: { ...account('honest', 0), priority: 3n } });
    assert.deepEqual([await scene.ready(), (await scene.load()).parked], [['h0', 'h1', 'h2'], 10]);
  },
});

/** P22. */
export const parkingRoomCases: readonly ConformanceCase[] = [...roomCases];
