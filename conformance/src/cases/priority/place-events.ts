import assert from 'node:assert/strict';
import type { StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPriorityPool, type Scene } from '../../scenario/priority.ts';

const parent = { provides: ['p'] };
const child = { requires: ['p'], provides: ['c'] };

/** The events of a call in a few words, with names in place of hashes. */
async function told(scene: Scene, run: () => Promise<unknown>): Promise<string[]> {
  return (await scene.eventsOf(run)).map((event) => words(scene, event));
}

function words(scene: Scene, event: StoreEvent): string {
  if (event.kind === 'block') return event.action;
  const [name] = scene.names([event]);
  if (event.kind === 'transaction') return `${name} ${event.stage}`;
  return event.kind === 'ready' ? `${name} ready` : `${name} parked, ${event.reason}`;
}

const onePool = eachOnPriorityPool({
  'P24/held: what is held back is parked for that reason, and what needs it waits': async (scene) => {
    await scene.fill({ parent, child });
    await scene.mark('parent');
    const notBeforeMs = scene.clock.nowMs + 1_000;
    const events = await told(scene, () => scene.store.release([scene.hash('parent')], { notBeforeMs }));
    assert.deepEqual(events, ['parent Pending', 'parent parked, held', 'child parked, missing']);
    scene.clock.nowMs += 1_000;
    assert.deepEqual(await told(scene, () => scene.store.sweep()), ['parent ready', 'child ready']);
  },
});

/** P24. */
export const placeEventCases: readonly ConformanceCase[] = [...onePool];
