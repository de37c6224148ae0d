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

test('of fifty elections in five processes that start at once one leads', async () => {
  const url = inject('redisUrl');
  const cluster = await startCluster({ url, ttlMs: 10_000 });
  const ids = (process: number) => Array.from({ length: 10 }, (_, i) => `n${process}-${i}`);
  const nodes = await Promise.all(
    [0, 1, 2, 3, 4].map((process) => {
      const [id = '', ...more] = ids(process);
      return cluster.node(id, { more });
    }),
  );
  await Promise.all(nodes.map((node) => node.call('start')));
  const won = await cluster.until('acquired');
  const others = () =>
    new Set(cluster.all('leader-changed').flatMap((e) => (e.leader?.term === won.term ? [e.nodeId] : [])));
  await eventually(() => others().size >= 49);
  expect(cluster.all('acquired')).toHaveLength(1);
  expect(cluster.all('lost')).toEqual([]);
  await cluster.conclude();
});

test('a node that is stopped while it starts leaves no lease behind', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 20_000, pollMs: 100 });
  const a = await cluster.node('a');
  for (let round = 1; round <= 10; round += 1) {
    const starting = a.call('start');
    await a.call('stop');
    expect(await client.exists(lockKey(cluster))).toBe(0);
    await starting.catch(() => undefined);
  }
  await cluster.leader('b');
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

test('a node that starts again after its stop leads with a higher term', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 20_000, blocks: 2 });
  const a = await cluster.leader('a');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  const first = await cluster.until('acquired');
  await a.call('stop');
  expect(await a.call('confirm', 2)).toMatchObject({ kind: 'fenced' });
  await a.call('start');
  const second = await cluster.until('acquired', ({ term }) => term > first.term);
  expect(second.token).not.toBe(first.token);
  expect(await a.call('confirm', 2)).toMatchObject({ kind: 'applied' });
  await cluster.conclude();
});
