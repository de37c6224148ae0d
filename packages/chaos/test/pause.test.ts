import { ownProxy } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { growth } from '../src/node/block.ts';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockKey, operator, poolBytes } from './pool-keys.ts';

test('a leader stopped past its ttl knows at its first statement, and its block changes nothing', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 4_000, blocks: 2 });
  const client = operator(inject('redisUrl'));
  const a = await cluster.leader('a');
  const b = await cluster.follower('b');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  const continued = cluster.fault('stopped', { target: a });
  const awakening = a.call('sleepThenConfirm', 2);
  await a.stopped();
  const { term } = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  const before = await poolBytes(client, cluster);
  a.resume();
  continued();
  expect(await awakening).toMatchObject({ before: true, after: false, outcome: { kind: 'fenced', tip: { tick: 1 } } });
  expect(await poolBytes(client, cluster)).toEqual(before);
  expect(await cluster.until('lost', ({ nodeId }) => nodeId === 'a')).toMatchObject({ reason: 'expired' });
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  expect(await b.call('status')).toMatchObject({ isLeader: true, term });
  await cluster.conclude();
});

test('a leader stopped past its ttl is refused also where nobody has come after it', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 4_000, blocks: 1 });
  const client = operator(inject('redisUrl'));
  const a = await cluster.leader('a');
  const before = await poolBytes(client, cluster);
  const awakening = a.call('sleepThenConfirm', 1);
  await a.stopped();
  await eventually(async () => (await client.exists(lockKey(cluster))) === 0);
  a.resume();
  expect(await awakening).toMatchObject({ before: true, after: false, outcome: { kind: 'fenced', tip: { tick: 0 } } });
  expect(await poolBytes(client, cluster)).toEqual(before);
  const lost = await cluster.until('lost');
  await cluster.until('acquired', ({ term }) => term > lost.term);
  await cluster.conclude();
});

test('leaders stopped one after the other in the middle of confirming apply nothing any more', async () => {
  const cluster = await startCluster({ url: inject('redisUrl'), ttlMs: 4_000, blocks: 900 });
  const nodes = { a: await cluster.leader('a'), b: await cluster.follower('b') };
  for (const node of Object.values(nodes)) await node.call('confirmOn');
  for (const [stopped, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const { tick } = await cluster.pool.tip();
    await eventually(async () => (await cluster.pool.tip()).tick > tick + 5);
    const continued = cluster.fault('stopped', { target: nodes[stopped] });
    await nodes[stopped].pause();
    const { atNs } = cluster.all('acquired').at(-1) ?? { atNs: 0n };
    await cluster.until('acquired', (event) => event.nodeId === other && event.atNs > atNs);
    nodes[stopped].resume();
    continued();
    await cluster.until('lost', (event) => event.nodeId === stopped && event.atNs > atNs);
  }
  for (const node of Object.values(nodes)) await node.call('confirmNoMore');
  await cluster.conclude();
});

test('a watcher stopped past its ttl in the middle of a block says that it lost the lock, and leads again later', async () => {
  const url = inject('redisUrl');
  const proxy = await ownProxy(url);
  const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 4, watcher: true });
  const a = await cluster.leader('a', { poolUrl: proxy.url });
  const b = await cluster.follower('b');
  for (const node of [a, b]) await node.call('grow', growth(1, 1));
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'a' && tip.tick === 1);
  const late = proxy.hold('request');
  await a.call('grow', growth(2, 2));
  await late.caught;
  const continued = cluster.fault('stopped', { target: a });
  await a.pause();
  await b.call('grow', growth(2, 3));
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'b' && tip.tick === 3);
  await late.letGo();
  a.resume();
  continued();
  await cluster.until(
    'log',
    ({ nodeId, message }) => nodeId === 'a' && message === 'lost watcher lock, skipping confirm',
  );
  await a.call('grow', growth(3, 4));
  await b.call('stop');
  await cluster.until('applied', ({ nodeId, tip }) => nodeId === 'a' && tip.tick === 4);
  await cluster.conclude();
});
