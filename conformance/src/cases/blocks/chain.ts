import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, eachOnPoolInFlight } from '../../scenario/on-pool.ts';
import { point } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'X3/gap: a parent that is not the tip is a gap, told with the tip, and changes nothing': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 2);
    const before = await pool.snapshot();
    const outcome = await store.confirm({ point: point(5), parent: point(4).hash, seen: [hash], unseen: [] });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(2), tick: 2 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, ['Pending']]);
  },
});

const inFlight = eachOnPoolInFlight({
  'X3/duplicate-tip: the tip applied again is a duplicate and changes nothing': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.block(1);
    const before = await pool.snapshot();
    const outcome = await pool.block(1, { seen: [hash] });
    assert.deepEqual(outcome, { kind: 'duplicate', tip: { point: point(1), tick: 1 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, [stage]]);
  },
});

export const chainCases: readonly ConformanceCase[] = [...onePool, ...inFlight];
