import type { Redis } from 'ioredis';
import { durable } from 'mempool-testkit';
import { ownServer } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockKey, operator, renewals } from './pool-keys.ts';

/** A server that the test kills, restarts and freezes, with a client that survives that. */
async function mortalServer(...args: readonly string[]) {
  const server = await ownServer(...args);
  const client = operator(server.url);
  // It reconnects by itself; its errors while the server is down mean nothing.
  client.on('error', () => undefined);
  return { server, client };
}

async function scriptCalls(client: Redis): Promise<number> {
  const stats = await client.info('commandstats');
  return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

test('a server with an append-only file that is away for a moment keeps its leader and the term', async () => {
  const { server, client } = await mortalServer(...durable);
  const cluster = await startCluster({ url: server.url, ttlMs: 8_000, blocks: 2 });
  const a = await cluster.leader('a', { renewMs: 500 });
  await cluster.follower('b');
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  const { term } = await a.call('status');
  const before = (await renewals(client, cluster)) ?? 0;
  const healed = cluster.fault('restarted');
  await server.restart();
  healed();
  await eventually(async () => ((await renewals(client, cluster)) ?? 0) > before + 1);
  expect(await a.call('status')).toMatchObject({ isLeader: true, term });
  expect(cluster.all('lost')).toEqual([]);
  expect(await a.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  expect(cluster.all('acquired')).toHaveLength(1);
  await cluster.conclude();
});

test('a leader whose time is not over puts its lease back into a server that came back empty', async () => {
  const { server, client } = await mortalServer();
  const cluster = await startCluster({ url: server.url, ttlMs: 8_000 });
  const a = await cluster.leader('a', { renewMs: 500 });
  await cluster.follower('b');
  const { term, lease } = await a.call('status');
  const healed = cluster.fault('restarted empty');
  await server.restart();
  healed();
  await eventually(async () => (await client.get(lockKey(cluster))) === 'a');
  expect(await a.call('status')).toMatchObject({ isLeader: true, term, lease });
  expect(cluster.all('lost')).toEqual([]);
  await a.call('stop');
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(won.term).toBeGreaterThan(term);
  await cluster.conclude();
});

test('a node that saw the lease waits it out when the server came back empty, and its term is higher', async () => {
  const { server, client } = await mortalServer();
  const cluster = await startCluster({ url: server.url, ttlMs: 4_000, pollMs: 100 });
  const a = await cluster.leader('a');
  await cluster.follower('b');
  const { term } = await a.call('status');
  const continued = cluster.fault('stopped', { target: a });
  await a.pause();
  const looks = await scriptCalls(client);
  await eventually(async () => (await scriptCalls(client)) > looks + 2);
  const healed = cluster.fault('restarted empty');
  await server.restart();
  healed();
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  a.resume();
  continued();
  expect(won.term).toBeGreaterThan(term);
  expect(await cluster.until('lost')).toMatchObject({ nodeId: 'a', reason: 'expired' });
  // That the leader's own time was over by then is what the record shows.
  await cluster.conclude();
});

test('a leader that slept while an empty server gave its lease to a node that never saw it is fenced', async () => {
  const { server } = await mortalServer();
  const cluster = await startCluster({ url: server.url, ttlMs: 4_000, blocks: 1 });
  const a = await cluster.leader('a');
  const c = await cluster.node('c');
  const { term } = await a.call('status');
  const continued = cluster.fault('stopped', { target: a });
  const awakening = a.call('sleepThenConfirm', 1);
  await a.stopped();
  const healed = cluster.fault('restarted empty', { removesLease: true });
  await server.restart();
  await c.call('start');
  const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'c');
  a.resume();
  continued();
  healed();
  expect(await awakening).toMatchObject({ outcome: { kind: 'fenced' } });
  const lost = await cluster.until('lost', ({ nodeId }) => nodeId === 'a');
  expect(['taken', 'expired']).toContain(lost.reason);
  await c.call('stop');
  const next = await cluster.until('acquired', ({ nodeId, atNs }) => nodeId === 'a' && atNs > won.atNs);
  expect(next.term).toBeGreaterThan(Math.max(term, won.term));
  // Who never saw the lost term may be given it again; the transaction was lost with it.
  await cluster.conclude('terms', 'final');
});

test('nobody leads while the server is frozen past the ttl, and one does afterwards', async () => {
  const { server } = await mortalServer();
  const cluster = await startCluster({ url: server.url, ttlMs: 4_000, blocks: 1 });
  await cluster.leader('a');
  for (const id of ['b', 'c']) await cluster.follower(id);
  const thawed = cluster.fault('frozen');
  server.freeze();
  const lost = await cluster.until('lost');
  expect(lost).toMatchObject({ nodeId: 'a', reason: 'expired' });
  await cluster.until('election-failed', ({ atNs, code }) => atNs > lost.atNs && code !== null);
  expect(cluster.all('acquired')).toHaveLength(1);
  server.thaw();
  thawed();
  const won = await cluster.until('acquired', ({ term }) => term > lost.term);
  await cluster.until('leader-changed', ({ leader }) => leader?.term === won.term);
  expect(cluster.all('acquired')).toHaveLength(2);
  await cluster.conclude();
});
