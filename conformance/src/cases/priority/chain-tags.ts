import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { gist, never, point } from '../../scenario/pool.ts';
import { eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';

const final = { finalizeThreshold: 1 };

const onePool = eachOnPriorityPool({
  'P12/satisfied: a tag that a block satisfies makes its dependents ready, present and later ones': async (scene) => {
    await scene.fill({ early: { requires: ['x', 'y'], provides: ['e'] }, child: { requires: ['e'] } });
    await scene.block(1, { provides: ['x'] });
    assert.deepEqual(await scene.parked(), ['early', 'child']);
    await scene.block(2, { provides: ['y', 'z'] });
    const late = await scene.add('late', { requires: ['x'] });
    assert.deepEqual([late.kind === 'received' && late.parked, await scene.parked()], [undefined, []]);
    assert.deepEqual(await scene.ready(), ['early', 'child', 'late']);
  },
  'P12/spent-by-one-of-ours: one that the chain brings back drops its replacement': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 1n }, new: { provides: ['x'], priority: 9n } });
    await scene.block(1, { seen: ['old'] });
    assert.deepEqual(
      [await scene.stages('old', 'new'), await scene.reasons('new')],
      [['Confirmed', 'Dropped'], ['conflict']],
    );
  },
  'P12/spent-parent: the descendants of a spent one are parked, or ready if the block provides': async (scene) => {
    await scene.fill({ a: { provides: ['x', 'y'] }, b: { requires: ['x'] }, c: { requires: ['y'] } });
    await scene.block(1, { provides: ['x'] });
    assert.deepEqual([await scene.ready(), await scene.parked()], [['b'], ['c']]);
  },
  'P12/withdrawn: a rollback withdraws what its blocks satisfied': async (scene) => {
    await scene.fill({ a: { requires: ['x'] }, b: { requires: ['y'] } });
    await scene.block(1, { provides: ['x'] });
    await scene.block(2, { provides: ['y', 'x'] });
    assert.deepEqual(await scene.ready(), ['a', 'b']);
    await scene.store.rollback(point(1));
    assert.deepEqual([await scene.ready(), await scene.parked()], [['a'], ['b']]);
    assert.deepEqual((await scene.dump()).satisfied, [['x', 1]]);
    await scene.store.rollback('origin');
    assert.deepEqual([await scene.parked(), (await scene.dump()).satisfied], [['a', 'b'], []]);
  },
  'P12/spent-stays-dropped: a rollback does not bring back a transaction dropped by a spent tag': async (scene) => {
    await scene.fill({ a: { provides: ['x'] } });
    await scene.block(1, { provides: ['x'] });
    await scene.store.rollback('origin');
    assert.deepEqual(await scene.stages('a'), ['Dropped']);
    assert.equal((await scene.add('a', { provides: ['x'] })).kind, 'received');
  },
  'P12/final-tags: the tags of a Finalized one are satisfied from its block on': async (scene) => {
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] } });
    await scene.block(1, { seen: ['parent'] });
    await scene.block(2, {}, { finalizeThreshold: 2 });
    assert.deepEqual([await scene.ready(), (await scene.dump()).satisfied], [['child'], [['p', 1]]]);
    await scene.store.rollback(point(1));
    assert.deepEqual([await scene.stages('parent'), (await scene.dump()).satisfied], [['Finalized'], [['p', 1]]]);
    await scene.store.rollback('origin');
    assert.deepEqual([await scene.ready(), (await scene.dump()).satisfied], [['parent', 'child'], []]);
  },
  'P12/duplicate-block: a block that is not applied satisfies and spends nothing': async (scene) => {
    await scene.fill({ a: { provides: ['x'] }, b: { requires: ['y'] } });
    await scene.block(1);
    await scene.unchanged(async () => {
      assert.equal((await scene.block(1, { provides: ['x', 'y'] })).kind, 'duplicate');
      const gap = { point: point(3), parent: point(2).hash, seen: [], unseen: [], provides: ['x', 'y'] };
      assert.equal((await scene.store.confirm(gap)).kind, 'gap');
    });
  },
  'P12/parked-on-the-chain: a parked one that the chain carries is Confirmed, and its tags are met': async (scene) => {
    await scene.fill({ a: { provides: ['a'], requires: ['missing'] }, b: { requires: ['a'] } });
    await scene.block(1, { seen: ['a'] });
    assert.deepEqual([await scene.stages('a'), await scene.ready()], [['Confirmed'], ['b']]);
    await scene.store.rollback('origin');
    assert.deepEqual(await scene.parked(), ['a', 'b']);
  },
});

const ownPools = eachRanked({
  'P12/spent: a block drops those whose tags it spent, in every stage but Confirmed': async (context) => {
    const scene = await openScene(context, never);
    const tags = ['a', 'b', 'c', 'd'];
    await scene.fill(Object.fromEntries(tags.map((tag) => [tag, { provides: [tag] }])));
    await scene.fill({ other: { provides: ['o'] } });
    await scene.mark('b', 'c');
    await scene.acknowledge('c');
    await scene.block(1, { seen: ['d'] });
    const outcome = await scene.block(2, { provides: tags });
    assert.deepEqual(await scene.stages(...tags, 'other'), ['Dropped', 'Dropped', 'Dropped', 'Confirmed', 'Pending']);
    assert.deepEqual(await scene.reasons('a', 'b', 'c'), ['conflict', 'conflict', 'conflict']);
    assert.equal(outcome.kind === 'applied' && outcome.dropped, 3);
  },
  'P12/spent-not-stale: one that a block spends and makes stale is a conflict, with one event': async (context) => {
    const scene = await openScene(context, { dropThreshold: 1 });
    await scene.fill({ a: { provides: ['a'] }, b: { provides: ['b'] } });
    await scene.mark('a', 'b');
    const events = await scene.eventsOf(async () => {
      const outcome = await scene.block(1, { unseen: ['b'], provides: ['a', 'b'] });
      const counts = { confirmed: 0, returned: 0, finalized: 0, dropped: 2 };
      assert.deepEqual(outcome, { kind: 'applied', tip: { point: point(1), tick: 1 }, ...counts });
    });
    assert.deepEqual(events.map(gist), ['applied 1', ...scene.hashes(['a', 'b']).map((hash) => `Dropped ${hash}`)]);
    assert.deepEqual(await scene.reasons('a', 'b'), ['conflict', 'conflict']);
  },
  'P12/final-tags-outlive-the-log: tags stay satisfied when the log has forgotten their provider': async (context) => {
    const scene = await openScene(context, { maxFinalized: 1, maxRollback: 2 });
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] }, other: {} });
    await scene.block(1, { seen: ['parent'] }, final);
    await scene.block(2, { seen: ['other'] }, final);
    await scene.blocks(3, 9);
    assert.deepEqual([await scene.stages('parent', 'child'), await scene.ready()], [['Unknown', 'Pending'], ['child']]);
  },
  'P12/forgotten: a tag that nobody needs is forgotten once its block cannot be undone': async (context) => {
    const scene = await openScene(context, { maxRollback: 2, maxFinalized: 1 });
    await scene.fill({ child: { requires: ['kept'] } });
    await scene.block(1, { provides: ['kept', 'lost'] });
    assert.deepEqual((await scene.dump()).satisfied, [
      ['kept', 1],
      ['lost', 1],
    ]);
    await scene.blocks(2, 9);
    assert.deepEqual((await scene.dump()).satisfied, [['kept', 1]]);
    await scene.drop('child');
    await scene.fill({ other: {} });
    await scene.drop('other');
    await scene.block(10);
    assert.deepEqual((await scene.dump()).satisfied, []);
  },
  'P12/needed-by-the-log: a tag that a Finalized one in the log needs is not forgotten': async (context) => {
    const scene = await openScene(context, { maxRollback: 2, maxFinalized: 1 });
    await scene.block(1, { provides: ['x'] });
    await scene.fill({ child: { requires: ['x'] }, other: {} });
    await scene.block(2, { seen: ['child'] }, final);
    await scene.blocks(3, 9);
    const { satisfied, dependents } = await scene.dump();
    assert.deepEqual([satisfied, dependents], [[['x', 1]], []]);
    await scene.block(10, { seen: ['other'] }, final);
    await scene.block(11);
    assert.deepEqual((await scene.dump()).satisfied, []);
  },
  'P12/needed-by-a-dropped-one: a tag that a Dropped one in the log needs is not forgotten': async (context) => {
    const scene = await openScene(context, { maxRollback: 2, maxFinalized: 2 });
    await scene.block(1, { provides: ['x'] });
    await scene.fill({ child: { requires: ['x'] } });
    await scene.drop('child');
    await scene.blocks(2, 9);
    assert.deepEqual((await scene.dump()).satisfied, [['x', 1]]);
    await scene.block(10, { seen: ['child'] });
    await scene.store.rollback(point(9));
    assert.deepEqual([await scene.ready(), await scene.parked()], [['child'], []]);
  },
  'P12/received-after-its-block: one received after its block is Confirmed, past every limit': async (context) => {
    const scene = await openScene(context, { maxTxGas: 1, maxTxs: 1, maxPerSender: 0, eviction: 'none' });
    await scene.fill({ rival: { provides: ['x'], priority: 9n } });
    await scene.block(1, { seen: ['late'] });
    const outcome = await scene.add('late', { provides: ['x'], requires: ['missing'], gas: 5, sender: 's' });
    assert.deepEqual(outcome, { kind: 'received', hash: scene.hash('late'), seq: 2, stage: 'Confirmed' });
    assert.deepEqual(
      [await scene.stages('rival', 'late'), await scene.reasons('rival')],
      [['Dropped', 'Confirmed'], ['conflict']],
    );
    const { totals, gossip } = await scene.dump();
    assert.deepEqual([totals, gossip], [{ transactions: 0, bytes: 0, gas: 0, parked: 0 }, []]);
  },
});

export const chainTagCases: readonly ConformanceCase[] = [...onePool, ...ownPools];

async function staleNames(scene: Scene, height: number): Promise<string[]> {
  return scene.names(await scene.store.stale({ height }));
}

const forkOnePool = eachOnPriorityPool({
  'P11/fork-of-the-same-height: one checked on an undone block is stale': async (scene) => {
    await scene.blocks(1, 2);
    await scene.fill({ before: {} });
    await scene.block(3);
    await scene.fill({ after: {} });
    await scene.store.rollback(point(2));
    assert.deepEqual(await staleNames(scene, 2), ['after']);
    await scene.block(4);
    assert.deepEqual(await staleNames(scene, 3), ['after', 'before']);
    await scene.store.revise([{ hash: scene.hash('after'), version: 1, answer: {} }]);
    assert.deepEqual(await staleNames(scene, 3), ['before']);
  },
  'P11/fork-by-callers-heights: the same holds if callers count other heights than the pool': async (scene) => {
    await scene.blocks(1, 5);
    await scene.add('old', {}, { height: 90 });
    await scene.add('before', {}, { height: 98 });
    await scene.add('first', {}, { height: 99 });
    await scene.add('second', {}, { height: 100 });
    await scene.store.rollback(point(3));
    assert.deepEqual(await staleNames(scene, 98), ['old', 'first', 'second']);
    assert.deepEqual((await scene.entry('old')).checkedHeight, 90);
  },
});

const forkOwnPools = eachRanked({
  'P11/fork-and-what-is-away: one that was in flight during the rollback returns stale': async (context) => {
    const scene = await openScene(context, never);
    await scene.block(1);
    await scene.fill(ladder([5, 4, 3, 2]));
    await scene.blocks(2, 4);
    for (const name of ['t0', 't1', 't2'])
      await scene.store.revise([{ hash: scene.hash(name), version: 1, answer: {} }]);
    await scene.mark('t0', 't1');
    await scene.acknowledge('t1');
    await scene.block(5, { seen: ['t2'] });
    await scene.store.rollback(point(2));
    await scene.release('t0', 't1');
    assert.deepEqual(await staleNames(scene, 2), ['t0', 't1', 't2', 't3']);
    const heights = await Promise.all(['t0', 't1', 't2', 't3'].map((name) => scene.entry(name)));
    assert.deepEqual(
      heights.map(({ checkedHeight }) => checkedHeight),
      [1, 1, 1, 1],
    );
  },
});

export const forkCases: readonly ConformanceCase[] = [...forkOnePool, ...forkOwnPools];
