import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownProxy } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { growth } from '../src/node/block.ts';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { operator, poolBytes } from './pool-keys.ts';

const checker = fileURLToPath(new URL('../../../conformance/src/failover-cli.ts', import.meta.url));

test('a leader killed while blocks come is followed within the ttl; none of them is lost or applied twice', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 1_000, blocks: 60, watcher: true });
  const a = await cluster.leader('a');
  const b = await cluster.follower('b');
  const feed = async (from: number, to: number) => {
    for (const step of growth(from, to)) for (const node of [a, b]) if (node.alive) await node.call('grow', [step]);
  };
  await feed(1, 20);
  await eventually(async () => (await cluster.pool.tip()).tick >= 10);
  const killedNs = process.hrtime.bigint();
  await cluster.kill(a);
  await feed(21, 60);
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  const tookMs = Number(won.atNs - killedNs) / 1e6;
  console.log(`crash, ttl 1 s: next term after ${tookMs.toFixed(0)} ms`);
  // Not by the heartbeat's standing still, which takes five seconds more.
  expect(tookMs).toBeLessThan(5_000);
  await cluster.until('ready', ({ nodeId }) => nodeId === 'b');
  await eventually(async () => (await cluster.pool.tip()).tick === 60);
  await cluster.conclude();
  expect(spawnSync(process.execPath, ['--conditions=mempool-source', checker, cluster.record]).status).toBe(0);
});

for (const held of ['request', 'reply'] as const)
  test(`a leader killed while the ${held} of its confirmation is under way: the block is applied exactly once`, async () => {
    const url = inject('redisUrl');
    const proxy = await ownProxy(url);
    const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 3, watcher: true });
    const a = await cluster.leader('a', { poolUrl: proxy.url });
    const b = await cluster.follower('b');
    for (const node of [a, b]) await node.call('grow', growth(1, 1));
    await eventually(async () => (await cluster.pool.tip()).tick === 1);
    const { caught } = proxy.hold(held);
    for (const node of [a, b]) await node.call('grow', growth(2, 3));
    await caught;
    expect((await cluster.pool.tip()).tick).toBe(held === 'request' ? 1 : 2);
    await cluster.kill(a);
    await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
    await eventually(async () => (await cluster.pool.tip()).tick === 3);
    await cluster.conclude();
  });

test('a leader killed when its confirmation was answered: the block is applied exactly once', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 4_000, blocks: 3, watcher: true });
  const a = await cluster.leader('a');
  const b = await cluster.follower('b');
  for (const node of [a, b]) await node.call('grow', growth(1, 2));
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'a' && tip.tick === 2);
  await cluster.kill(a);
  await b.call('grow', growth(3, 3));
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'b' && tip.tick === 3);
  await cluster.conclude();
});

test('a confirmation that arrives when its leader is dead and another one leads changes nothing', async () => {
  const url = inject('redisUrl');
  const client = operator(url);
  const proxy = await ownProxy(url);
  const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 2 });
  const a = await cluster.leader('a', { poolUrl: proxy.url });
  const b = await cluster.follower('b');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  const late = proxy.hold('request');
  void a.call('confirm', 2);
  await late.caught;
  await cluster.kill(a);
  await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  const before = await poolBytes(client, cluster);
  await late.letGo();
  expect(await poolBytes(client, cluster)).toEqual(before);
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  await cluster.conclude();
});
