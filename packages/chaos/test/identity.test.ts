import { expect, inject, test } from 'vitest';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockMoves, operator, renewals, tellingServer } from './pool-keys.ts';

test('the second of two live nodes with one id says so, and never leads while the first one lives', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 4_000, pollMs: 150, blocks: 2 });
  // Often renewed: a first one that is not let run for a while still leads.
  const first = await cluster.leader('twin', { renewMs: 200 });
  const second = await cluster.follower('twin');
  const conflict = await cluster.until('identity-conflict');
  expect(conflict).toMatchObject({ kind: 'identity-conflict', nodeId: 'twin' });
  const seen = (await renewals(client, cluster)) ?? 0;
  await eventually(async () => ((await renewals(client, cluster)) ?? 0) > seen + 6);
  expect(await second.call('status')).toMatchObject({ isLeader: false, state: 'follower' });
  expect(await first.call('status')).toMatchObject({ isLeader: true });
  expect(await first.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  expect(cluster.all('acquired')).toHaveLength(1);
  expect(cluster.all('identity-conflict')).toHaveLength(1);
  await first.call('stop');
  await cluster.until('acquired', ({ term }) => term > conflict.term);
  expect(await second.call('confirm', 2)).toMatchObject({ kind: 'applied' });
  await cluster.conclude();
});

test('a killed node that comes back with its fixed id waits its own lease out, and there is no conflict', async () => {
  const { url } = await tellingServer();
  const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 2 });
  const before = await cluster.leader('fixed');
  expect(await before.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  const { term } = await before.call('status');
  const moves = await lockMoves(url, cluster);
  await cluster.kill(before);
  const again = await cluster.node('fixed');
  await again.call('start');
  await cluster.until('acquired', (event) => event.term > term);
  await eventually(() => moves.length >= 2);
  expect(moves).toEqual(['expired', 'set']);
  expect(cluster.all('identity-conflict')).toEqual([]);
  expect(await again.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  await cluster.conclude();
});
