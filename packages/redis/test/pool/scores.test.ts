import { randomUUID } from 'node:crypto';
import type { Mempool } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';

const [propagated, confirmed, tick] = [1e15, 3e15, 1e6];
const patient = { finalizeThreshold: 9, dropThreshold: 9 };

/** A pool whose next seqs are the last ones below a million and the first above, and what its index says of each hash. */
async function setUp(ordering: 'fifo' | 'priority') {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const admin = operator(url);
  await openPool({ url, pool, ordering });
  await admin.hset(`{${pool}}:meta`, 'seq', 999_997);
  const { store } = await openPool({ url, pool, ordering });
  const encodeScore = async (n: number) => Number(await admin.zscore(`{${pool}}:idx`, Buffer.from(hashOf(n), 'hex')));
  const scores = () => Promise.all([1, 2, 3, 4, 5, 6, 7].map(encodeScore));
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
    await store.confirm({ point: point(1), seen: [2, 3, 7].map(hashOf), unseen: [hashOf(4)] }, patient);
    await store.receive(transactions(7));
    await store.confirm({ point: point(2), seen: [hashOf(1)], unseen: [] }, patient);
    await store.markInflight([hashOf(6)]);
    const [second, third] = [confirmed + tick + 999_999, confirmed + tick];
    const seventh = confirmed + tick + 4;
    expect(await scores()).toEqual([
      confirmed + 2 * tick + 999_998,
      ...[second, third, 1_000_001, propagated + 2, propagated + 2 * tick + 3, seventh],
    ]);
    const other = await reopen();
    expect(await other.usage()).toMatchObject({ pending: 1, propagated: 2, acknowledged: 0, confirmed: 4 });
    expect(await other.status([1, 2, 3, 5, 6, 7].map(hashOf))).toMatchObject([
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
    expect(await store.status([1, 2, 3, 4, 5, 6].map(hashOf))).toMatchObject([
      { stage: 'Dropped', nonConfirmations: 2 },
      { stage: 'Finalized', confirmations: 2 },
      { stage: 'Dropped', nonConfirmations: 2 },
      { stage: 'Finalized', confirmations: 2 },
      { stage: 'Propagated', nonConfirmations: 1 },
      { stage: 'Propagated', nonConfirmations: 1 },
    ]);
  },
);

const early = [1, 2, 3, 4, 5, 6, 7, 8];
const late = early.map((n) => n + 10);

/** As many events of transactions as there are, as hash, seq and stage. */
async function eventsOf(store: Mempool): Promise<(readonly [string, number, string])[]> {
  const { lastEventSeq } = await store.usage();
  const events: (readonly [string, number, string])[] = [];
  for await (const event of await store.subscribe({ after: 'origin' })) {
    if (event.kind === 'transaction') events.push([event.hash, event.seq, event.stage]);
    if (event.kind !== 'lagged' && event.eventSeq === lastEventSeq) return events;
  }
  return events;
}

test.for([
  { gap: 999_982, reach: 'just among the last million received' },
  { gap: 999_983, reach: 'just not' },
  { gap: 1_999_990, reach: 'further apart, with the same last digits' },
])('every verb finds the seqs of what is in flight: $reach', async ({ gap }) => {
  let now = 1_000;
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, now: () => now });
  const seqOf = (n: number) => (n < 10 ? n : gap + n);
  await store.receive(transactions(...early));
  await store.markInflight(early.slice(0, 7).map(hashOf));
  await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50 });
  await operator(url).hset(`{${pool}}:meta`, 'seq', gap + 10);
  await store.receive(transactions(...late));
  await store.markInflight(late.slice(0, 7).map(hashOf));
  await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50 });
  now = 2_000;
  expect((await store.sweep()).returned).toEqual([8, 18].map(hashOf));
  await store.markAcknowledged([11, 1].map(hashOf));
  await store.release([12, 2].map(hashOf));
  await store.drop([13, 3].map(hashOf), 'failed');
  const thresholds = { finalizeThreshold: 2, dropThreshold: 3 };
  const block = (n: number, seen: number[], unseen: number[]) =>
    store.confirm({ point: point(n), seen: seen.map(hashOf), unseen: unseen.map(hashOf) }, thresholds);
  await block(1, [14, 4], [16, 6]);
  await block(2, [15, 5], []);
  await store.rollback(point(1));
  await block(3, [], []);
  await block(4, [], []);
  const pending = (await store.peekPending()).transactions.map(({ hash, seq }) => [hash, seq]);
  expect(pending).toEqual([2, 5, 6, 8, 12, 15, 16, 18].map((n) => [hashOf(n), seqOf(n)]));
  const expected = new Map([...early, ...late].map((n) => [hashOf(n), seqOf(n)]));
  const events = await eventsOf(store);
  expect(events.map(([hash, seq]) => [hash, seq])).toEqual(events.map(([hash]) => [hash, expected.get(hash)]));
  const ended = (await store.dumpFinalized()).entries.map(({ hash, seq, stage }) => [hash, seq, stage]);
  const dropped = [3, 13].map((n) => [hashOf(n), seqOf(n), 'Dropped']);
  expect(ended.slice(0, 2)).toEqual(dropped);
  expect(ended.slice(2).sort()).toEqual(
    [1, 4, 7, 11, 14, 17].map((n) => [hashOf(n), seqOf(n), n % 10 === 4 ? 'Finalized' : 'Dropped']).sort(),
  );
});
