import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { never } from '../../scenario/pool.ts';
import { openScene } from '../../scenario/priority.ts';

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
});

export const chainTagCases: readonly ConformanceCase[] = [...ownPools];
