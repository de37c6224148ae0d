import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { never, point } from '../../scenario/pool.ts';
import { eachOnPriorityPool, openScene } from '../../scenario/priority.ts';

const onePool = eachOnPriorityPool({
  'P12/spent-by-one-of-ours: one that the chain brings back drops its replacement': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 1n }, new: { provides: ['x'], priority: 9n } });
    await scene.block(1, { seen: ['old'] });
    assert.deepEqual(
      [await scene.stages('old', 'new'), await scene.reasons('new')],
      [['Confirmed', 'Dropped'], ['conflict']],
    );
  },
  'P12/spent-stays-dropped: a rollback does not bring back a transaction dropped by a spent tag': async (scene) => {
    await scene.fill({ a: { provides: ['x'] } });
    await scene.block(1, { provides: ['x'] });
    await scene.store.rollback('origin');
    assert.deepEqual(await scene.stages('a'), ['Dropped']);
    assert.equal((await scene.add('a', { provides: ['x'] })).kind, 'received');
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
