import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { type Drafts, eachOnPriorityPool } from '../../scenario/priority.ts';

const family: Drafts = {
  parent: { priority: 9n, provides: ['p'] },
  child: { priority: 8n, requires: ['p'], provides: ['c'] },
  grandchild: { priority: 7n, requires: ['c'] },
  other: { priority: 2n },
};

const onePool = eachOnPriorityPool({
  'P25/parents-of-pages: parents are told on a page that does not have them': async (scene) => {
    await scene.fill(family);
    const [first] = await scene.store.best({ limit: 1 });
    const [second] = await scene.store.best({ limit: 1, after: first?.key });
    assert.deepEqual([scene.names([second?.hash ?? '']), scene.names(second?.parents ?? [])], [['child'], ['parent']]);
  },
});

/** P25. */
export const walkingCases: readonly ConformanceCase[] = onePool;
