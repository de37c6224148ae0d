import { execFileSync } from 'node:child_process';
import { ownProxy, ownServer } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { growth } from '../src/node/block.ts';
import { startCluster } from './cluster.ts';
import { lockKey } from './pool-keys.ts';

test('a clean stop hands over at the next poll where messages are lost', async () => {
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  proxy.loseMessages();
  const cluster = await startCluster({ url, ttlMs: 20_000, pollMs: 300 });
  const a = await cluster.leader('a');
  await cluster.follower('b', { url: proxy.url });
  await a.call('stop');
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  const lost = await cluster.until('lost', ({ nodeId }) => nodeId === 'a');
  const tookMs = Number(won.atNs - lost.atNs) / 1e6;
  console.log(`clean stop, without messages, poll 300 ms: next term after ${tookMs.toFixed(1)} ms`);
  expect(tookMs).toBeLessThan(5_000);
  await cluster.conclude();
});

test('a leader that stops says lost before another one wins, though the answer to its release is long in coming', async () => {
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  const cluster = await startCluster({ url, ttlMs: 20_000, pollMs: 100 });
  const a = await cluster.leader('a', { url: proxy.url });
  await cluster.follower('b');
  const release = proxy.hold('reply');
  const stopped = a.call('stop');
  await release.caught;
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  const lost = await cluster.until('lost', ({ nodeId }) => nodeId === 'a');
  expect(lost.atNs).toBeLessThan(won.atNs);
  expect(await a.call('status')).toMatchObject({ isLeader: false, remainingMs: 0 });
  await release.letGo();
  await stopped;
  await cluster.conclude();
});

test('the five steps of a fail-over go as documented', async () => {
  const server = await ownServer();
  const cluster = await startCluster({ url: server.url, ttlMs: 10_000, watcher: true, blocks: 3 });
  const shownByRedisCli = () =>
    execFileSync('redis-cli', ['-p', String(server.port), 'GET', lockKey(cluster)], { encoding: 'utf8' }).trim();
  const first = await cluster.leader('first');
  const second = await cluster.follower('second');
  const both = [first, second];
  for (const node of both) await node.call('grow', growth(1, 1));
  await cluster.until('applied', ({ nodeId }) => nodeId === 'first');
  expect(shownByRedisCli()).toBe('first');
  await first.call('stop');
  await cluster.until('log', ({ nodeId, message }) => nodeId === 'second' && message === 'acquired watcher lock');
  expect(shownByRedisCli()).toBe('second');
  await first.call('start');
  const again = process.hrtime.bigint();
  for (const node of both) await node.call('grow', growth(2, 2));
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'second' && tip.tick === 2);
  await cluster.until(
    'log',
    ({ nodeId, message, atNs }) => nodeId === 'first' && message === 'not watcher, skipping confirm' && atNs > again,
  );
  expect(shownByRedisCli()).toBe('second');
  await cluster.conclude();
});
