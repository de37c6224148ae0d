import { expect, test } from 'vitest';
import { operator, ownServer } from '../own-server.ts';
import { startCluster } from './cluster.ts';
import { lockKey, renewals } from './pool-keys.ts';
import { eventually } from './wait.ts';

test('a full server renews the lease and takes blocks, and a clean stop gives the lease away', async () => {
  const { url } = await ownServer('--maxmemory-policy', 'noeviction');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 900, blocks: 20 });
  const a = await cluster.leader('a');
  await cluster.follower('b');
  const { term } = await a.call('status');
  await client.config('SET', 'maxmemory', '1');
  await expect(client.set('more', 'x')).rejects.toThrow('OOM');
  const seen = (await renewals(client, cluster)) ?? 0;
  await eventually(async () => ((await renewals(client, cluster)) ?? 0) > seen + 6);
  for (let n = 1; n <= 20; n += 1) expect(await a.call('confirm', n)).toMatchObject({ kind: 'applied' });
  expect(cluster.all('lost')).toEqual([]);
  expect(await a.call('status')).toMatchObject({ isLeader: true, term });
  await a.call('stop');
  expect(await client.exists(lockKey(cluster))).toBe(0);
  await client.config('SET', 'maxmemory', '0');
  expect((await cluster.until('acquired', ({ nodeId }) => nodeId === 'b')).term).toBeGreaterThan(term);
  await cluster.conclude();
});
