import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustRank } from '../../case/must.ts';
import { atLeast, type Draft, eachOnPriorityPool, openScene } from '../../scenario/priority.ts';

/** The exact price to replace one that pays `old`, with a bump in per cent. */
const prices: readonly (readonly [id: string, old: bigint, bump: number, required: bigint])[] = [];

function priced([id, old, bump, required]: (typeof prices)[number]): ConformanceCase {
  const title = `one of priority ${old} is replaced by ${required} at a bump of ${bump} per cent, and not by one less`;
  return mustRank(`P4/price-${id}`, title, async (context) => {
    const scene = await openScene(context, { replacementBump: bump });
    await scene.fill({ old: { provides: ['x'], priority: old } });
    const [low, enough] = [required - 1n, required].map((priority) => ({ provides: ['x'], priority }));
    await scene.refuses('new', low ?? {}, { kind: 'replacement-underpriced', required });
    assert.equal((await scene.add('new', enough)).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('old')], [['new'], ['replaced']]);
  });
}

const heir: Draft = { provides: ['x'], priority: 110n };

const onePool = eachOnPriorityPool({
  'P4/parked-for-ready: one that would be parked replaces none that is ready, whatever it pays': async (scene) => {
    await scene.fill({ a: { provides: ['a'], requires: ['missing'] }, b: { provides: ['b'] }, c: { provides: ['c'] } });
    await scene.fill({ child: { requires: ['b'] } });
    const draft = { provides: ['a', 'b', 'c'], requires: ['other'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('b') });
    assert.deepEqual(await scene.ready(), ['b', 'c', 'child']);
  },
  'P4/below-the-floor-for-ready: one below the floor replaces none that is ready': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 5n }, low: { provides: ['y'], priority: 1n } });
    await scene.fill({ cheap: { provides: ['z'], priority: 2n } });
    await scene.store.setLimits({ minPriority: 3n });
    const draft = { provides: ['x'], requires: ['y'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('old') });
    assert.equal((await scene.add('dear', { provides: ['z'], requires: ['y'], priority: 9n })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['old'], ['low', 'dear']]);
  },
  'P4/own-tag-of-its-rival: one that needs a tag of its rival replaces it not, though both provide that tag': async (
    scene,
  ) => {
    await scene.fill({ old: { provides: ['in', 'out'] }, child: { requires: ['out'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    await scene.refuses('new', { provides: ['in'], requires: ['out'], priority: 400n }, conflict);
    await scene.refuses('all', { provides: ['in', 'out'], requires: ['out'], priority: 400n }, conflict);
    assert.deepEqual(await scene.ready(), ['old', 'child']);
  },
  'P4/parked-parent: one that needs a tag of a parked rival replaces it not': async (scene) => {
    await scene.fill({ old: { provides: ['in', 'out'], requires: ['missing'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    await scene.refuses('new', { provides: ['in'], requires: ['out'], priority: 400n }, conflict);
  },
  'P4/ancestor: one that needs its rival through others, in flight too, replaces it not': async (scene) => {
    await scene.fill({ old: { provides: ['in', 'a'] }, b: { provides: ['b'], requires: ['a'] } });
    await scene.fill({ c: { provides: ['c'], requires: ['b'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    const draft = { provides: ['in'], requires: ['c'], priority: 400n };
    await scene.refuses('new', draft, conflict);
    await scene.mark('old', 'b', 'c');
    await scene.release('old');
    await scene.refuses('new', draft, conflict);
  },
});

const ownPools = eachRanked({
  'P4/while-full: in a full pool a replacement takes the place that it frees': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ old: { provides: ['x'], priority: 100n }, rival: { priority: 500n } });
    assert.equal((await scene.add('new', heir)).kind, 'received');
    assert.deepEqual(await scene.stages('old', 'rival'), ['Dropped', 'Pending']);
  },
  'P4/refused-when-full: a replacement that finds no room for its bytes leaves the old one': async (context) => {
    const scene = await openScene(context, { maxBytes: 100 });
    await scene.fill({ old: { provides: ['x'], priority: 100n, bytes: 50 }, rival: { priority: 500n, bytes: 50 } });
    await scene.refuses('new', { ...heir, bytes: 51 }, { kind: 'full', floor: atLeast(101n) });
  },
});

export const replacementCases: readonly ConformanceCase[] = [...prices.map(priced), ...onePool, ...ownPools];
