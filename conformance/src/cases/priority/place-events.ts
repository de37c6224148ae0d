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
  'P24/replaced-by: what is replaced names its successor, in a call of several too': async (scene) => {
    await scene.fill({ a: { priority: 10n, provides: ['x'] }, other: { priority: 10n, provides: ['y'] } });
    const events = await scene.eventsOf(() =>
      scene.addAll({
        b: { priority: 100n, provides: ['x'] },
        c: { priority: 1_000n, provides: ['x'] },
        d: { priority: 1_000n, provides: ['y'] },
      }),
    );
    const successors = events.flatMap((event) =>
      event.kind === 'transaction' && event.replacedBy !== undefined
        ? [[...scene.names([event]), ...scene.names([{ hash: event.replacedBy }])]]
        : [],
    );
    assert.deepEqual(successors, [
      ['a', 'b'],
      ['other', 'd'],
      ['b', 'c'],
    ]);
  },
});

/** P24. */
export const placeEventCases: readonly ConformanceCase[] = [...onePool];
