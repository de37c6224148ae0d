import assert from 'node:assert/strict';
import type { MempoolEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { gist, type Pool, point } from '../../scenario/pool.ts';

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

const ownPools = mustEach({
  'E2/order-per-transaction: the events of each transaction come in the order of its life': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const all = await pool.receiveHashes(8);
    await Promise.all([pool.mark(...all), pool.acknowledge(...all), pool.block(1, { seen: all }), pool.block(2)]);
    const events = await pool.events();
    const txStates = all.map((hash) =>
      events.flatMap((event) => (event.kind === 'transaction' && event.hash === hash ? [event.stage] : [])),
    );
    assert.deepEqual(
      txStates,
      all.map(() => stageOrder),
    );
  },
});

const onePool = eachOnPool({
  'E1/nothing-happened: a call without effect makes no event': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.block(1);
    const made = await pool.eventsOf(async () => {
      await store.receive([one]);
      await pool.acknowledge(one.hash);
      await pool.release(one.hash, pool.random.hex(32));
      await pool.block(1, { seen: [one.hash] });
      await store.confirm({ point: point(9), parent: point(8).hash, seen: [one.hash], unseen: [] });
      await pool.rollback(1);
      await pool.rollback(77);
    });
    assert.deepEqual(made, []);
  },
  'E2/never-early: when an event arrives, reads show its transition': async (pool) => {
    const stream = await pool.subscribe();
    const all = await pool.receiveHashes(5);
    const calls = [pool.mark(...all), pool.acknowledge(...all), pool.block(1, { seen: all })];
    const [behind] = await Promise.all([tooEarly(pool, stream, all.length * 4), ...calls]);
    assert.deepEqual(behind, []);
  },
});

/** Cases of E1 and E2: which events there are, and their order. */
export const eventCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
