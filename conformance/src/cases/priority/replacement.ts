import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPriorityPool } from '../../scenario/priority.ts';

const onePool = eachOnPriorityPool({
  'P4/parked-for-ready: one that would be parked replaces none that is ready, whatever it pays': async (scene) => {
    await scene.fill({ a: { provides: ['a'], requires: ['missing'] }, b: { provides: ['b'] }, c: { provides: ['c'] } });
    await scene.fill({ child: { requires: ['b'] } });
    const draft = { provides: ['a', 'b', 'c'], requires: ['other'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('b') });
    assert.deepEqual(await scene.ready(), ['b', 'c', 'child']);
  },
});

export const replacementCases: readonly ConformanceCase[] = [...onePool];
