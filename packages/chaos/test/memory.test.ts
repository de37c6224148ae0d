import { expect, test } from 'vitest';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockMoves, operator, renewals, tellingServer } from './pool-keys.ts';

test('a full server renews the lease, takes blocks and lets another one win after a clean stop', async () => {
  const { url } = await tellingServer('--maxmemory-policy', 'noeviction');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 20 });
  const a = await cluster.leader('a', { renewMs: 300 });
  await cluster.follower('b');
  const { term } = await a.call('status');
  await client.config('SET', 'maxmemory', '1');
  await expect(client.set('more', 'x')).rejects.toThrow('OOM');
  const seen = (await renewals(client, cluster)) ?? 0;
  await eventually(async () => ((await renewals(client, cluster)) ?? 0) > seen + 6);
  for (let n = 1; n <= 20; n += 1) expect(await a.call('confirm', n)).toMatchObject({ kind: 'applied' });
  expect(cluster.all('lost')).toEqual([]);
  expect(await a.call('status')).toMatchObject({ isLeader: true, term });
  const moves = await lockMoves(url, cluster);
  await a.call('stop');
  expect((await cluster.until('acquired', ({ nodeId }) => nodeId === 'b')).term).toBeGreaterThan(term);
  await eventually(() => moves.length >= 2);
  expect(moves).toEqual(['del', 'set']);
  await client.config('SET', 'maxmemory', '0');
  await cluster.conclude();
});
