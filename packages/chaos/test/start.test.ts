import { ownProxy, ownServer } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { scripts } from '../../redis/src/election/script.ts';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockKey, operator, renewals } from './pool-keys.ts';

function isCampaign(request: Buffer): boolean {
  return request.includes(scripts.campaign.sha) || request.includes(scripts.campaign.source);
}

test('a server that forgot its scripts keeps its leader, and the next one wins too', async () => {
  const { url } = await ownServer();
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 4_000 });
  const a = await cluster.leader('a', { renewMs: 300 });
  await cluster.follower('b');
  const before = (await renewals(client, cluster)) ?? 0;
  await client.script('FLUSH');
  await eventually(async () => ((await renewals(client, cluster)) ?? 0) > before + 1);
  expect(cluster.all('lost')).toEqual([]);
  await client.script('FLUSH');
  await a.call('stop');
  await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  await cluster.conclude();
});

test('a node that is stopped while its first win is not heard of releases it before the stop is done', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const proxy = await ownProxy(url);
  const cluster = await startCluster({ url, ttlMs: 3_000, pollMs: 100 });
  const a = await cluster.node('a', { url: proxy.url });
  const campaign = proxy.hold('reply', isCampaign);
  const starting = a.call('start');
  await campaign.caught;
  expect(await client.get(lockKey(cluster))).toBe('a');
  await a.call('stop');
  expect(await client.exists(lockKey(cluster))).toBe(0);
  await starting;
  expect(await a.call('status')).toMatchObject({ isLeader: false, state: 'follower' });
  expect(cluster.all('acquired')).toEqual([]);
  await cluster.leader('b');
  await cluster.conclude();
});
