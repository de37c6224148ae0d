import assert from 'node:assert/strict';
import type { DropReason, StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openTimed } from '../../scenario/on-pool.ts';

/** The causes of the transactions' events. */
function causesOf(events: readonly StoreEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'transaction' ? [`${event.stage} ${event.cause}`] : []));
}

const ownPools = mustEach({
  'E6/stale: what is in flight too long is told as aged by a block': async (context) => {
    const pool = await openTimed(context, { dropThreshold: 3 });
    await pool.mark(await pool.receiveOne());
    for (const n of [1, 2]) await pool.block(n);
    assert.deepEqual(causesOf(await pool.eventsOf(() => pool.block(3))), ['Dropped block']);
  },
});

const onePool = eachOnPool({
  'E6/reasons: a word of the pool and the same text of the application are read back as they were given': async (
    pool,
    store,
  ) => {
    const hashes = await pool.receiveHashes(3);
    const reasons: DropReason[] = ['stale', { app: 'stale' }, { app: 'app:stale' }];
    for (const [i, hash] of hashes.entries()) await store.drop([hash], reasons[i] as DropReason);
    const statuses = await Promise.all(hashes.map((hash) => pool.status(hash)));
    assert.deepEqual(
      statuses.map(({ reason }) => reason),
      reasons,
    );
    assert.deepEqual(
      (await pool.logEntries()).map(({ reason }) => reason),
      reasons,
    );
    const told = (await pool.events(3)).map((event) => event.kind === 'transaction' && event.reason);
    assert.deepEqual(told, reasons);
  },
});

/** Cases of E5 and E6: when and why. */
export const causeCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
