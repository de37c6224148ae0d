import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { never, point } from '../../scenario/pool.ts';
import { type Draft, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

/** `v` needs `u`, which was on the chain before it was received, and needs `v`. */
async function circleOverTheChain(scene: Scene, more: readonly string[] = []): Promise<void> {
  await scene.fill({ v: { provides: ['v'], requires: ['u'] } });
  await scene.block(1, { seen: ['u', ...more] });
  await scene.fill({ u: { provides: ['u'], requires: ['v'] } });
  assert.deepEqual(await scene.ready(), ['v']);
}

/** Three that are Confirmed by one block, of which the second provides what the first and what the last does. */
async function threeInARow(scene: Scene): Promise<void> {
  await scene.fill({
    a: { provides: ['x'], priority: 1n },
    b: { provides: ['x', 'y'], priority: 9n },
    c: { provides: ['y'], priority: 99n },
  });
  await scene.block(1, { seen: ['a', 'b', 'c'] });
  assert.deepEqual(await scene.stages('a', 'b', 'c'), ['Confirmed', 'Confirmed', 'Confirmed']);
}

/** One block satisfies what `a` provides, the next one carries it. */
async function spentAndSeen(scene: Scene): Promise<void> {
  await scene.fill({ a: { provides: ['x'] } });
  await scene.block(1, { provides: ['x'] });
  await scene.block(2, { seen: ['a'] });
  assert.deepEqual(await scene.stages('a'), ['Confirmed']);
}

const final = { finalizeThreshold: 1 };

const onePool = eachOnPriorityPool({
  'P12/returned-first-stays: of returning rivals the first stays, and displaces no other': async (scene) => {
    await threeInARow(scene);
    await scene.fill({ child: { requires: ['y'] } });
    const outcome = await scene.store.rollback('origin');
    assert.deepEqual(await scene.stages('a', 'b', 'c', 'child'), ['Pending', 'Dropped', 'Pending', 'Pending']);
    assert.deepEqual([await scene.reasons('b'), await scene.ready()], [['conflict'], ['c', 'a', 'child']]);
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 2);
  },
  'P12/spared-by-a-circle: one dropped for its cycle displaces no other provider of its tag': async (scene) => {
    await circleOverTheChain(scene, ['heir']);
    await scene.add('heir', { provides: ['u'] });
    await scene.store.rollback('origin');
    assert.deepEqual(await scene.stages('u', 'heir', 'v'), ['Dropped', 'Pending', 'Pending']);
    assert.deepEqual([await scene.reasons('u'), await scene.ready()], [['cycle'], ['heir', 'v']]);
  },
  'P12/returned-to-spent: one that returns is dropped if an earlier block satisfied its tag': async (scene) => {
    await spentAndSeen(scene);
    const outcome = await scene.store.rollback(point(1));
    assert.deepEqual([await scene.stages('a'), await scene.reasons('a')], [['Dropped'], ['conflict']]);
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 0);
  },
  'P12/unseen-to-spent: one named as unseen is dropped if an earlier block satisfied its tag': async (scene) => {
    await spentAndSeen(scene);
    await scene.block(3, { unseen: ['a'] });
    assert.deepEqual([await scene.stages('a'), await scene.reasons('a')], [['Dropped'], ['conflict']]);
  },
  'P12/returned-circle: one whose return would close a cycle is dropped': async (scene) => {
    await circleOverTheChain(scene);
    await scene.store.rollback('origin');
    assert.deepEqual([await scene.stages('u', 'v'), await scene.reasons('u')], [['Dropped', 'Pending'], ['cycle']]);
    assert.deepEqual(await scene.parked(), ['v']);
  },
  'P12/unseen-circle: one that an unseen hash returns into a cycle is dropped': async (scene) => {
    await circleOverTheChain(scene);
    await scene.block(2, { unseen: ['u'] });
    assert.deepEqual([await scene.stages('u', 'v'), await scene.reasons('u')], [['Dropped', 'Pending'], ['cycle']]);
  },
  'P12/withdrawn-circle: if a withdrawn tag closes a cycle, its last received one is dropped': async (scene) => {
    await scene.fill({ b: { provides: ['x'], requires: ['a'] } });
    await scene.block(1, { seen: ['b'] }, final);
    await scene.fill({ a: { provides: ['a'], requires: ['x'] }, c: { requires: ['a'] } });
    assert.deepEqual(await scene.ready(), ['a', 'c']);
    await scene.store.rollback('origin');
    assert.deepEqual(
      [await scene.stages('a', 'b', 'c'), await scene.reasons('a')],
      [['Dropped', 'Pending', 'Pending'], ['cycle']],
    );
    assert.deepEqual(await scene.parked(), ['b', 'c']);
  },
});

const ownPools = eachRanked({
  'P12/unseen-first-stays: of rivals that a block names as unseen the first stays': async (context) => {
    const scene = await openScene(context, never);
    await threeInARow(scene);
    const outcome = await scene.block(2, { unseen: ['a', 'b', 'c'] });
    assert.deepEqual(await scene.stages('a', 'b', 'c'), ['Pending', 'Dropped', 'Pending']);
    assert.deepEqual(outcome.kind === 'applied' && [outcome.returned, outcome.dropped], [2, 1]);
  },
});

export const returningCases: readonly ConformanceCase[] = [...onePool, ...ownPools];

const draft: Draft = {
  priority: 7n,
  sender: 's',
  gas: 3,
  provides: ['x'],
  requires: ['chain'],
  expiresAtHeight: 80,
  from: 'one',
};

/** Received at one height and moment, sent again by another peer, and judged once more. */
async function arranged(scene: Scene): Promise<void> {
  await scene.add('a', draft, { height: 4 });
  await scene.add('a', { from: 'two' });
  const { from: _, ...verdict } = draft;
  await scene.store.revise([{ hash: scene.hash('a'), version: 1, answer: { ...verdict, priority: 9n } }], {
    height: 6,
  });
  scene.clock.nowMs += 500;
}

/** The fields that an entry keeps in every stage of its transaction. */
async function kept(scene: Scene): Promise<unknown> {
  const { stage: _, place: __, gossipSeq: ___, claim: ____, ...entry } = await scene.entry('a');
  const { checkedHeight: _____, parkedAt: ______, ...rest } = entry;
  return rest;
}

const revivedEntryOnePool = eachOnPriorityPool({
  'P12/entry-of-a-dropped-one: one back from the log has its verdict, sources and times': async (scene) => {
    await arranged(scene);
    const before = await kept(scene);
    await scene.drop('a');
    assert.deepEqual([await kept(scene), (await scene.dump()).providers], [before, []]);
    await scene.block(1, { seen: ['a'], provides: ['chain'] });
    assert.deepEqual(await kept(scene), before);
    await scene.block(2, { unseen: ['a'] });
    assert.deepEqual([await kept(scene), await scene.ready()], [before, ['a']]);
  },
});

const revivedEntryOwnPools = eachRanked({
  'P12/revived-in-a-full-pool: what the chain brings back is not held up by limits': async (context) => {
    const scene = await openScene(context, { maxTxs: 1, maxPerSender: 1, eviction: 'none' });
    await arranged(scene);
    await scene.drop('a');
    await scene.fill({ b: { sender: 's' } });
    await scene.block(1, { seen: ['a'] });
    await scene.block(2, { unseen: ['a'] });
    assert.deepEqual([await scene.stages('a', 'b'), (await scene.load()).transactions], [['Pending', 'Pending'], 2]);
  },
});

export const revivedEntryCases: readonly ConformanceCase[] = [...revivedEntryOnePool, ...revivedEntryOwnPools];
