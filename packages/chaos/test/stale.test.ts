import { expect, inject, test } from 'vitest';
import { startCluster } from './cluster.ts';

test('a leader whose heartbeat stands still while its lock lives is replaced by force, and fenced', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 4_000, pollMs: 150, blocks: 1 });
  const replaced = cluster.fault('heartbeat stale', { removesLease: true });
  const a = await cluster.node('a', { progressTimeoutMs: 12_000, staleHeartbeatMs: 20_000 });
  await a.call('work');
  await a.call('start');
  await cluster.until('acquired');
  const b = await cluster.follower('b', { ttlMs: 2_500, staleHeartbeatMs: 2_500 });
  await a.call('standStill');
  const forced = await cluster.until('takeover-forced');
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'fenced' });
  const lost = await cluster.until('lost');
  replaced();
  expect(forced).toMatchObject({ nodeId: 'b', from: { nodeId: 'a' } });
  expect(lost).toMatchObject({ nodeId: 'a', reason: 'taken' });
  expect(won.term).toBeGreaterThan(lost.term);
  expect(await b.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  await cluster.conclude();
});

test('a leader whose work makes no progress resigns', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 10_000, blocks: 2 });
  const a = await cluster.follower('a', { progressTimeoutMs: 5_000 });
  await a.call('work');
  await cluster.until('acquired', ({ nodeId }) => nodeId === 'a');
  const b = await cluster.follower('b');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  await a.call('standStill');
  expect(await cluster.until('lost')).toMatchObject({ nodeId: 'a', reason: 'no-progress' });
  await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(await a.call('confirm', 2)).toMatchObject({ kind: 'fenced' });
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied' });
  await cluster.conclude();
});
