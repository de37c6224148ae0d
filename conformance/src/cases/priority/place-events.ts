import assert from 'node:assert/strict';
import type { StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

const parent = { provides: ['p'] };
const child = { requires: ['p'], provides: ['c'] };
const grandchild = { requires: ['c'] };

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
  'P24/arrival: what is received parked has an event of that behind its own': async (scene) => {
    assert.deepEqual(await told(scene, () => scene.add('child', child)), ['child Pending', 'child parked, missing']);
    assert.deepEqual(await told(scene, () => scene.add('free', {})), ['free Pending']);
  },
  'P24/ready: who becomes ready is told behind all transactions of the call, by seq': async (scene) => {
    await scene.fill({ grandchild, child });
    const events = await told(scene, () => scene.addAll({ parent, other: {} }));
    assert.deepEqual(events, ['parent Pending', 'other Pending', 'grandchild ready', 'child ready']);
  },
  'P24/parked: who is parked by a call is told, each once': async (scene) => {
    await scene.fill({ parent, child, grandchild });
    const events = await told(scene, () => scene.drop('parent'));
    assert.deepEqual(events, ['parent Dropped', 'child parked, missing', 'grandchild parked, missing']);
    assert.deepEqual(await told(scene, () => scene.drop('child')), ['child Dropped']);
  },
  'P24/numbered: these events have numbers and the time as all others': async (scene) => {
    await scene.fill({ child });
    scene.clock.nowMs += 5_000;
    const events = await scene.eventsOf(() => scene.add('parent', parent));
    const [first, second] = events;
    assert.deepEqual(second, {
      kind: 'ready',
      eventSeq: (first?.eventSeq ?? 0) + 1,
      at: first?.at,
      hash: scene.hash('child'),
      seq: 1,
    });
    const all = await scene.events();
    assert.deepEqual(
      all.map(({ eventSeq }) => eventSeq),
      [1, 2, 3, 4],
    );
  },
  'P24/held: what is held back is parked for that reason, and what needs it waits': async (scene) => {
    await scene.fill({ parent, child });
    await scene.mark('parent');
    const notBeforeMs = scene.clock.nowMs + 1_000;
    const events = await told(scene, () => scene.store.release([scene.hash('parent')], { notBeforeMs }));
    assert.deepEqual(events, ['parent Pending', 'parent parked, held', 'child parked, missing']);
    scene.clock.nowMs += 1_000;
    assert.deepEqual(await told(scene, () => scene.store.sweep()), ['parent ready', 'child ready']);
  },
  'P24/returned: what a rollback returns without its parent is parked': async (scene) => {
    await scene.block(1, { provides: ['p'] });
    await scene.fill({ child });
    await scene.block(2, { seen: ['child'] });
    const events = await told(scene, () => scene.store.rollback('origin'));
    assert.deepEqual(events, ['undone', 'undone', 'child Pending', 'child parked, missing']);
  },
  'P24/left: what leaves while it is parked has the event of its end alone': async (scene) => {
    await scene.fill({ a: { requires: ['m'] }, b: { requires: ['m'] } });
    assert.deepEqual(await told(scene, () => scene.drop('a')), ['a Dropped']);
    assert.deepEqual(await told(scene, () => scene.block(1, { seen: ['b'] })), ['applied', 'b Confirmed']);
  },
  'P24/refused: a newcomer that is refused parks nothing': async (scene) => {
    await scene.fill({ old: { priority: 10n, provides: ['x', 'p'] }, child: { ...child, priority: 10n } });
    const cheap = { priority: 12n, provides: ['x'], bytes: 20 };
    assert.equal((await scene.add('cheap', cheap)).kind, 'replacement-underpriced');
    assert.deepEqual(await told(scene, () => scene.add('cheap', cheap)), []);
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

const ownPools = eachRanked({
  'P24/replaced-alone: nothing else that ends names a successor': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    await scene.fill({ a: { priority: 1n } });
    const events = await scene.eventsOf(() => scene.add('b', { priority: 2n }));
    assert.deepEqual(
      events.map((event) => [words(scene, event), 'replacedBy' in event]),
      [
        ['a Dropped', false],
        ['b Pending', false],
      ],
    );
  },
});

/** P24. */
export const placeEventCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
