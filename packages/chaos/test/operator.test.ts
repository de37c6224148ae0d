import type { Redis } from 'ioredis';
import { ownServer } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import type { ChildNode } from '../src/node/child-node.ts';
import { eventually } from '../src/node/wait.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { leaseKey, lockKey, operator } from './pool-keys.ts';

/** Who leads now, once exactly one does and the store agrees. */
async function onlyLeader(nodes: readonly ChildNode[]): Promise<ChildNode> {
  let leaders: ChildNode[] = [];
  await eventually(async () => {
    const states = await Promise.all(nodes.map((node) => node.call('status')));
    leaders = nodes.filter((_, i) => states[i]?.isLeader);
    return leaders.length === 1;
  });
  return leaders[0] as ChildNode;
}

async function progress({ pool }: Cluster, blocks: number): Promise<void> {
  const { tick } = await pool.tip();
  await eventually(async () => (await pool.tip()).tick >= tick + blocks);
}

const endings: Readonly<Record<string, (client: Redis, key: string) => Promise<number>>> = {
  'is deleted': (client, key) => client.del(key),
  'is made to end at once': (client, key) => client.pexpire(key, 1),
};

for (const [ending, end] of Object.entries(endings))
  test(`a lock that ${ending} has one new leader, and the old one is fenced though its time is not over`, async () => {
    const url = inject('redisUrl');
    const client = operator(url);
    const cluster = await startCluster({ url, ttlMs: 10_000, blocks: 2 });
    const a = await cluster.leader('a', { renewMs: 500 });
    const b = await cluster.follower('b', { pollMs: 50 });
    expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
    const awakening = a.call('sleepThenConfirm', 2);
    await a.stopped();
    const healed = cluster.fault('lock ended', { removesLease: true });
    const continued = cluster.fault('stopped', { target: a });
    expect(await end(client, lockKey(cluster))).toBe(1);
    const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
    a.resume();
    continued();
    expect(await awakening).toMatchObject({ after: true, outcome: { kind: 'fenced', tip: { tick: 1 } } });
    const lost = await cluster.until('lost');
    healed();
    expect(lost).toMatchObject({ nodeId: 'a', reason: 'taken' });
    expect(won.term).toBeGreaterThan(lost.term);
    expect(await onlyLeader([a, b])).toBe(b);
    expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied' });
    await cluster.conclude();
  });

test('a server flushed under load has one leader soon, and no stale block is accepted', async () => {
  const { url } = await ownServer();
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 900 });
  const nodes = [await cluster.leader('a'), await cluster.follower('b'), await cluster.follower('c')];
  for (const node of nodes) await node.call('confirmOn');
  for (let flush = 1; flush <= 5; flush += 1) {
    await progress(cluster, 5);
    const healed = cluster.fault('flushed', { removesLease: true });
    await client.flushall();
    await eventually(async () => (await cluster.pool.tip()).tick > 0);
    await onlyLeader(nodes);
    healed();
  }
  await progress(cluster, 5);
  await eventually(async () => (await client.get(lockKey(cluster))) === (await onlyLeader(nodes)).id);
  for (const node of nodes) await node.call('confirmNoMore');
  // The blocks before each flush are gone with it.
  await cluster.conclude('blocks', 'final');
});

test('a lock that was made to last for ever is taken when its holder no longer renews', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 4_000, pollMs: 150, blocks: 1 });
  const a = await cluster.leader('a');
  const b = await cluster.follower('b', { staleHeartbeatMs: false });
  const awakening = a.call('sleepThenConfirm', 1);
  await a.stopped();
  const continued = cluster.fault('stopped', { target: a });
  for (const key of [lockKey(cluster), leaseKey(cluster)]) expect(await client.persist(key)).toBe(1);
  const forced = await cluster.until('takeover-forced', ({ nodeId }) => nodeId === 'b');
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(forced.from.nodeId).toBe('a');
  expect(won.term).toBeGreaterThan(forced.from.term);
  expect(forced.atNs).toBeLessThanOrEqual(won.atNs);
  expect(await client.pttl(lockKey(cluster))).toBeGreaterThan(0);
  a.resume();
  continued();
  expect(await awakening).toMatchObject({ after: false, outcome: { kind: 'fenced' } });
  expect(await b.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  await cluster.conclude();
});

test('a lock deleted under load has one new leader, and no stale block is accepted', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const cluster = await startCluster({ url, ttlMs: 5_000, blocks: 2 });
  const nodes = [await cluster.leader('a'), await cluster.follower('b', { pollMs: 50 })];
  for (const node of nodes) await node.call('confirmOn');
  await progress(cluster, 5);
  const { term } = await cluster.until('acquired');
  const healed = cluster.fault('lock deleted', { removesLease: true });
  await client.del(lockKey(cluster));
  const won = await cluster.until('acquired', (event) => event.term > term);
  await cluster.until('lost', (event) => event.term === term);
  healed();
  expect((await onlyLeader(nodes)).id).toBe(won.nodeId);
  await progress(cluster, 5);
  for (const node of nodes) await node.call('confirmNoMore');
  await cluster.conclude();
});
