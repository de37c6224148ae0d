import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, needing } from '../../case/must.ts';
import { type Draft, onPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

const parent: Draft = { priority: 5n, provides: ['p'] };
const child: Draft = { priority: 5n, requires: ['p'], provides: ['c'] };
const grandchild: Draft = { priority: 5n, requires: ['c'] };
const family = { parent, child, grandchild };

/** A way in which a parent leaves the pool and takes its descendants' readiness with it. */
interface Leaving {
  readonly id: string;
  readonly title: string;
  readonly parent?: Draft;
  leave(scene: Scene): Promise<unknown>;
}

const leavings: readonly Leaving[] = [
  {
    id: 'expired',
    title: 'expires',
    parent: { ...parent, expiresAtHeight: 3 },
    leave: (scene) => scene.store.sweep({ height: 4 }),
  },
  { id: 'stale', title: 'goes stale in flight', leave: staleParent },
];

async function staleParent(scene: Scene): Promise<void> {
  await scene.mark('parent');
  await scene.blocks(1, 2, { dropThreshold: 2 });
}

function parks({ id, title, parent: own = parent, leave }: Leaving): ConformanceCase {
  return onPriorityPool(`P2/parent-${id}`, `when a parent ${title}, its descendants are parked`, async (scene) => {
    await scene.fill({ ...family, parent: own });
    assert.deepEqual(await scene.parked(), []);
    await leave(scene);
    assert.deepEqual(await scene.parked(), ['child', 'grandchild']);
    assert.deepEqual(await scene.stages('child', 'grandchild'), ['Pending', 'Pending']);
  });
}

/** A stage in which a parent makes its child ready. */
const stages: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  ['Pending', async () => undefined],
  ['Propagated', (scene) => scene.mark('parent')],
  ['Acknowledged', (scene) => scene.mark('parent').then(() => scene.acknowledge('parent'))],
  ['Confirmed', (scene) => scene.block(1, { seen: ['parent'] })],
  ['Finalized', (scene) => scene.block(1, { seen: ['parent'] }, { finalizeThreshold: 1 })],
];

function meets([stage, bring]: (typeof stages)[number]): ConformanceCase {
  const title = `a tag is met by one that is ${stage}, for those that wait for it and for those that come`;
  return onPriorityPool(`P2/met-by-${stage.toLowerCase()}`, title, async (scene) => {
    await scene.fill({ early: { requires: ['p'] }, parent });
    await bring(scene);
    const outcome = await scene.add('late', { requires: ['p'] });
    assert.deepEqual(await scene.stages('parent'), [stage]);
    assert.deepEqual([outcome.kind === 'received' && outcome.parked, await scene.parked()], [undefined, []]);
  });
}

const ownInFlightPriority = eachInFlight({
  'P2/in-flight-child-stays: a child in flight keeps its stage when its parent is dropped': async (context, stage) => {
    const scene = await openScene(context);
    await scene.fill(family);
    await scene.mark('parent', 'child');
    if (stage === 'Acknowledged') await scene.acknowledge('child');
    await scene.drop('parent');
    assert.deepEqual(await scene.stages('child'), [stage]);
    assert.deepEqual(await scene.ready(), ['grandchild']);
    await scene.release('child');
    assert.deepEqual(await scene.parked(), ['child', 'grandchild']);
  },
  'P2/in-flight-child-of-a-returned-parent: a child in flight keeps its stage when its parent returns': async (
    context,
    stage,
  ) => {
    const scene = await openScene(context);
    await scene.fill({ ...family, parent: { ...parent, priority: 2n }, rival: { priority: 3n } });
    await scene.mark('parent', 'child');
    if (stage === 'Acknowledged') await scene.acknowledge('child');
    await scene.release('parent');
    assert.deepEqual(await scene.stages('child'), [stage]);
    await scene.release('child');
    assert.deepEqual(await scene.ready(), ['rival', 'parent', 'child', 'grandchild']);
  },
}).map(needing('priority'));

export const parkingCases: readonly ConformanceCase[] = [
  ...stages.map(meets),
  ...leavings.map(parks),
  ...ownInFlightPriority,
];
