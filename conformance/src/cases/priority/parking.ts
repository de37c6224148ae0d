import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, needing } from '../../case/must.ts';
import { type Draft, eachOnPriorityPool, onPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

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
  { id: 'dropped', title: 'is dropped', leave: (scene) => scene.drop('parent') },
  {
    id: 'expired',
    title: 'expires',
    parent: { ...parent, expiresAtHeight: 3 },
    leave: (scene) => scene.store.sweep({ height: 4 }),
  },
  {
    id: 'refused',
    title: 'is refused at a recheck',
    leave: (scene) =>
      scene.store.revise([{ hash: scene.hash('parent'), version: 1, answer: { code: 1, log: 'no', penalize: false } }]),
  },
  {
    id: 'replaced',
    title: 'is replaced by one that does not provide the tag',
    parent: { ...parent, provides: ['p', 'x'] },
    leave: (scene) => scene.add('new', { priority: 90n, provides: ['x'] }),
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

const onePool = eachOnPriorityPool({
  'P2/parked-told: one that lacks a tag is received as parked, one that lacks none is not': async (scene) => {
    const told = await scene.addAll({ child, parent, other: {} });
    const hash = (name: string) => ({ kind: 'received', hash: scene.hash(name), stage: 'Pending' });
    assert.deepEqual(told, [
      { ...hash('child'), seq: 1, parked: true },
      { ...hash('parent'), seq: 2 },
      { ...hash('other'), seq: 3 },
    ]);
  },
  'P2/parked-not-handed-out: a parked one is not reaped, listed, taken or gossiped': async (scene) => {
    await scene.fill({ child, grandchild });
    const { store } = scene;
    assert.deepEqual([await store.reap(), await store.best(), (await store.peekPending()).transactions], [[], [], []]);
    assert.deepEqual((await store.take({}, { owner: 'o', claimMs: 1_000 })).transactions, []);
    assert.deepEqual((await store.since()).items, []);
    assert.equal(await store.hasPending(), false);
  },
  'P2/parked-not-marked: a parked one is not marked in flight': async (scene) => {
    await scene.fill({ child, other: {} });
    assert.deepEqual(scene.names(await scene.mark('child', 'other')), ['other']);
    assert.deepEqual(await scene.stages('child', 'other'), ['Pending', 'Propagated']);
  },
  'P2/parked-listed: peekParked lists parked ones by seq, in pages, with their payloads': async (scene) => {
    const requires = ['missing'];
    await scene.fill({ a: { requires }, b: {}, c: { requires, priority: 9n }, d: { requires } });
    const { transactions: first, next: after } = await scene.store.peekParked({ limit: 2 });
    const { transactions: rest } = await scene.store.peekParked({ limit: 2, after });
    assert.deepEqual([scene.names(first), scene.names(rest)], [['a', 'c'], ['d']]);
    assert.deepEqual([first[0]?.payload.length, first[0]?.stage], [20, 'Pending']);
  },
  'P2/pending-means-ready: peekPending lists the ready ones by seq, whatever their priorities': async (scene) => {
    await scene.fill({ a: { priority: 1n }, b: { requires: ['missing'] }, c: { priority: 9n }, d: { priority: 5n } });
    assert.deepEqual(scene.names((await scene.store.peekPending()).transactions), ['a', 'c', 'd']);
    const { pending } = await scene.store.usage();
    assert.deepEqual([pending, (await scene.load()).parked], [4, 1]);
  },
  'P2/promoted: the parent that was missing makes all its descendants ready': async (scene) => {
    await scene.fill({ grandchild, child });
    await scene.add('parent', parent);
    assert.deepEqual([await scene.parked(), await scene.ready()], [[], ['parent', 'child', 'grandchild']]);
    assert.equal(await scene.store.hasPending(), true);
  },
  'P2/no-event-for-readiness: to be parked or made ready is no transition and no event of the transaction': async (
    scene,
  ) => {
    await scene.fill({ child });
    const events = await scene.eventsOf(() => scene.add('parent', parent));
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'transaction' ? scene.names([event]) : [])),
      ['parent'],
    );
  },
  'P2/every-tag: one missing tag parks, however many others are there': async (scene) => {
    await scene.fill({ a: { provides: ['a'] }, b: { provides: ['b'] }, me: { requires: ['a', 'b', 'c'] } });
    assert.deepEqual(await scene.parked(), ['me']);
    await scene.add('c', { provides: ['c'] });
    assert.deepEqual(await scene.parked(), []);
    await scene.drop('b');
    assert.deepEqual(await scene.parked(), ['me']);
  },
  'P2/not-by-a-parked-one: a parked parent leaves its child parked': async (scene) => {
    await scene.fill({ parent: { ...parent, requires: ['missing'] } });
    const outcome = await scene.add('child', child);
    assert.equal(outcome.kind === 'received' && outcome.parked, true);
    assert.deepEqual(await scene.parked(), ['parent', 'child']);
  },
  'P2/parent-flushed: a flush leaves no descendant behind, parked or ready': async (scene) => {
    await scene.fill({ ...family, other: { requires: ['missing'] } });
    assert.equal(await scene.store.flush(), 4);
    assert.deepEqual(await scene.order(), []);
  },
  'P2/new-life-of-a-parent: a parent that is received again makes its child ready again': async (scene) => {
    await scene.fill(family);
    await scene.drop('parent');
    await scene.add('parent', parent);
    assert.deepEqual(await scene.ready(), ['parent', 'child', 'grandchild']);
  },
  'P2/mark-a-chain: a whole chain is marked in one call, in any order': async (scene) => {
    await scene.fill(family);
    const marked = await scene.mark('grandchild', 'parent', 'child');
    assert.deepEqual(scene.names(marked), ['grandchild', 'parent', 'child']);
  },
  'P2/tag-twice: a tag that is named twice counts once': async (scene) => {
    await scene.fill({ me: { provides: ['m', 'm'], requires: ['p', 'p'] }, parent });
    const { provides, requires, place } = await scene.entry('me');
    assert.deepEqual([provides, requires, place?.ready], [['m'], ['p'], true]);
  },
});

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
  ...onePool,
  ...stages.map(meets),
  ...leavings.map(parks),
  ...ownInFlightPriority,
];
