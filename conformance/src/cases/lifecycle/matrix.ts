import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool } from '../../scenario/on-pool.ts';

/** The histories meet every pair of stage and verb. This is the example. */
export const matrixCases: readonly ConformanceCase[] = eachOnPool({
  'L11/final: no verb moves a Finalized or a Dropped transaction': async (pool, store) => {
    const [final, dropped] = await pool.receiveHashes(2);
    const both = [final, dropped];
    await pool.drop(dropped);
    await pool.finalizeIn(1, final);
    for (const verb of ['markInflight', 'markAcknowledged', 'complete', 'release'] as const)
      assert.deepEqual(await store[verb](both), []);
    assert.deepEqual(await store.drop(both, 'failed'), []);
    assert.deepEqual(await pool.stages(...both), ['Finalized', 'Dropped']);
  },
});
