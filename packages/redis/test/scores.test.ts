import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transactions } from './chain.ts';
import { openPool, operator } from './own-server.ts';

const [propagated, confirmed, tick] = [1e15, 3e15, 1e6];
const late = { finalizeThreshold: 9, dropThreshold: 9 };

/** A pool whose next seqs are the last ones below a million and the first above, and what its index says of each hash. */
async function setUp(ordering: 'fifo' | 'priority') {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const admin = operator(url);
  await openPool({ url, pool, ordering });
  await admin.hset(`{${pool}}:meta`, 'seq', 999_997);
  const { store } = await openPool({ url, pool, ordering });
  const scoreOf = async (n: number) => Number(await admin.zscore(`{${pool}}:idx`, Buffer.from(hashOf(n), 'hex')));
  const scores = () => Promise.all([1, 2, 3, 4, 5, 6, 7].map(scoreOf));
  return { store, scores, reopen: async () => (await openPool({ url, pool, ordering })).store };
}

test.for(['fifo', 'priority'] as const)(
  'in flight each has a score of its own, of stage, tick and the last six digits of its seq: %s',
  async (ordering) => {
    const { store, scores, reopen } = await setUp(ordering);
    await store.receive(transactions(1, 2, 3, 4, 5, 6));
    await store.markInflight([1, 2, 3, 4, 5].map(hashOf));
    await store.markAcknowledged([hashOf(1), hashOf(2)]);
    expect((await scores()).slice(0, 3)).toEqual([2e15 + 999_998, 2e15 + 999_999, propagated]);
    await store.confirm({ point: point(1), seen: [2, 3, 7].map(hashOf), unseen: [hashOf(4)] }, late);
    await store.receive(transactions(7));
    await store.confirm({ point: point(2), seen: [hashOf(1)], unseen: [] }, late);
    await store.markInflight([hashOf(6)]);
    const [second, third] = [confirmed + tick + 999_999, confirmed + tick];
    const seventh = confirmed + tick + 4;
    expect(await scores()).toEqual([
      confirmed + 2 * tick + 999_998,
      ...[second, third, 1_000_001, propagated + 2, propagated + 2 * tick + 3, seventh],
    ]);
    const other = await reopen();
    expect(await other.usage()).toMatchObject({ pending: 1, propagated: 2, acknowledged: 0, confirmed: 4 });
    expect(await other.checkStatus([1, 2, 3, 5, 6, 7].map(hashOf))).toMatchObject([
      { stage: 'Confirmed', confirmations: 1, confirmedAt: point(2) },
      { stage: 'Confirmed', confirmations: 2, confirmedAt: point(1) },
      { stage: 'Confirmed', confirmations: 2, confirmedAt: point(1) },
      { stage: 'Propagated', nonConfirmations: 2 },
      { stage: 'Propagated', nonConfirmations: 0 },
      { stage: 'Confirmed', confirmations: 2, confirmedAt: point(1) },
    ]);
    expect(await other.rollback(point(1))).toMatchObject({ kind: 'rolled-back', returned: 1 });
    const moved = propagated + tick + 3;
    expect(await scores()).toEqual([999_998, second, third, 1_000_001, propagated + 2, moved, seventh]);
  },
);

test.for(['fifo', 'priority'] as const)(
  'what is old enough ends whatever the last digits of its seq are, and nothing younger: %s',
  async (ordering) => {
    const { store } = await setUp(ordering);
    const thresholds = { finalizeThreshold: 2, dropThreshold: 2 };
    await store.receive(transactions(1, 2, 3, 4, 5, 6));
    await store.markInflight([hashOf(1), hashOf(3)]);
    await store.confirm({ point: point(1), seen: [2, 4].map(hashOf), unseen: [] }, thresholds);
    await store.markInflight([hashOf(5), hashOf(6)]);
    const block = store.confirm({ point: point(2), seen: [], unseen: [] }, thresholds);
    expect(await block).toMatchObject({ finalized: 2, dropped: 2 });
    expect(await store.checkStatus([1, 2, 3, 4, 5, 6].map(hashOf))).toMatchObject([
      { stage: 'Dropped', nonConfirmations: 2 },
      { stage: 'Finalized', confirmations: 2 },
      { stage: 'Dropped', nonConfirmations: 2 },
      { stage: 'Finalized', confirmations: 2 },
      { stage: 'Propagated', nonConfirmations: 1 },
      { stage: 'Propagated', nonConfirmations: 1 },
    ]);
  },
);
