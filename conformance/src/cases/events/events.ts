import assert from 'node:assert/strict';
import type { MempoolEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool } from '../../scenario/on-pool.ts';
import { gist, type Pool } from '../../scenario/pool.ts';

const stageOrder = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'];

/** The transitions, among the next `count`, that could not be read when their event arrived. */
async function tooEarly(pool: Pool, stream: AsyncIterable<MempoolEvent>, count: number): Promise<string[]> {
  const early: string[] = [];
  let seen = 0;
  for await (const event of stream) {
    if (event.kind !== 'transaction') continue;
    const [stage = 'Unknown'] = await pool.stages(event.hash);
    if (stageOrder.indexOf(stage) < stageOrder.indexOf(event.stage)) early.push(gist(event));
    seen += 1;
    if (seen === count) break;
  }
  return early;
}

const onePool = eachOnPool({
  'E2/never-early: when an event arrives, reads show its transition': async (pool) => {
    const stream = await pool.subscribe();
    const all = await pool.receiveHashes(5);
    const calls = [pool.mark(...all), pool.acknowledge(...all), pool.block(1, { seen: all })];
    const [behind] = await Promise.all([tooEarly(pool, stream, all.length * 4), ...calls]);
    assert.deepEqual(behind, []);
  },
});

/** Cases of E1 and E2: which events there are, and their order. */
export const eventCases: readonly ConformanceCase[] = [...onePool];
