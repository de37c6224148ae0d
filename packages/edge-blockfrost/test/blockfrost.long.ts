import { BlockFrostAPI } from '@blockfrost/blockfrost-js';
import type { Transaction } from 'mempool-core';
import { durable } from 'mempool-testkit';
import { ownServer } from 'mempool-testkit/vitest';
import { describe, expect, test } from 'vitest';
import { EdgeWorld, forked, killed } from '../../server/test/edges/edge-world.ts';
import { realTransactions } from '../../server/test/edges/real-transactions.ts';
import { served } from '../../server/test/http/served.ts';

function clientOf(world: EdgeWorld, server: number): BlockFrostAPI {
  return new BlockFrostAPI({ customBackend: world.servers[server]?.edges.blockfrost as string, rateLimiter: false });
}

/** What the client of a server lists, over all its pages. */
async function listed(world: EdgeWorld, server: number): Promise<string[]> {
  return (await clientOf(world, server).mempoolAll()).map((each) => each.tx_hash);
}

describe('the client of Blockfrost', () => {
  test.for(forked)('through blocks and forks: %s, %s', async ([backend, ordering]) => {
    const world = await EdgeWorld.open(backend, { mempool: { ordering }, edges: { blockfrost: {} } });
    const transactions = await realTransactions(230);
    const hashes = transactions.map(({ hash }) => hash);
    const last = world.servers.length - 1;
    for (const [i, { hash, payload }] of transactions.entries())
      expect(await clientOf(world, i % world.servers.length).txSubmit(payload)).toBe(hash);
    for (const server of world.servers.keys()) expect(await listed(world, server)).toEqual(hashes);
    for (const { hash, payload } of transactions.slice(0, 20))
      expect(await clientOf(world, last).mempoolTx(hash)).toMatchObject({ tx: { hash, size: payload.length } });
    world.apply(...hashes.slice(0, 50));
    await expect.poll(() => listed(world, last)).toEqual(hashes.slice(50));
    await expect(clientOf(world, 0).mempoolTx(hashes[0] as string)).rejects.toMatchObject({ status_code: 404 });
    world.apply(...hashes.slice(50, 60));
    world.undo(2);
    world.apply(...hashes.slice(0, 40));
    for (const server of world.servers.keys()) await expect.poll(() => listed(world, server)).toEqual(hashes.slice(40));
    expect(await clientOf(world, 0).mempoolTx(hashes[40] as string)).toMatchObject({ tx: { hash: hashes[40] } });
    for (let i = 0; i < 3; i++) world.apply(...hashes.slice(40 + i, 41 + i));
    await expect.poll(() => listed(world, 0)).toEqual(hashes.slice(43));
  });

  test.for(killed)('through a kill of the leader and restarts: %s, %s', async ([backend, ordering]) => {
    const world = await EdgeWorld.open(backend, { mempool: { ordering }, edges: { blockfrost: {} } });
    const transactions = await realTransactions(160);
    const hashes = transactions.map(({ hash }) => hash);
    const submit = async (server: number, from: number, to: number): Promise<void> => {
      for (const { payload } of transactions.slice(from, to)) await clientOf(world, server).txSubmit(payload);
    };
    // A fork needs a block before it that stays.
    world.apply();
    await submit(0, 0, 120);
    world.apply(...hashes.slice(0, 10));
    await expect.poll(() => listed(world, 1)).toEqual(hashes.slice(10, 120));
    const killed = await world.killLeader();
    const other = 1 - killed;
    expect(await listed(world, other)).toEqual(hashes.slice(10, 120));
    await submit(other, 120, 160);
    world.undo(1);
    world.apply(...hashes.slice(0, 5));
    await expect.poll(() => listed(world, other), { timeout: 20_000 }).toEqual(hashes.slice(5));
    await world.start(killed);
    expect(await listed(world, killed)).toEqual(hashes.slice(5));
    const { child, ended } = world.servers[other] as EdgeWorld['servers'][number];
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    world.apply(...hashes.slice(5));
    await expect.poll(() => listed(world, killed), { timeout: 20_000 }).toEqual([]);
    await world.start(other);
    expect(await listed(world, other)).toEqual([]);
    await expect(clientOf(world, other).mempoolTx(hashes[7] as string)).rejects.toMatchObject({ status_code: 404 });
  });
});

test('a Redis that goes away and comes back: 503 meanwhile, then the list is what the store holds', async () => {
  const redis = await ownServer(...durable);
  const { edges, pool } = await served({ backend: 'redis', url: redis.url }, {}, {}, { blockfrost: { port: 0 } });
  const list = async (): Promise<[number, unknown]> => {
    const answer = await fetch(`${edges.blockfrost}/mempool`);
    return [answer.status, await answer.json()];
  };
  const [first, second] = await realTransactions(2);
  await pool.submit(first as Transaction);
  expect(await list()).toEqual([200, [{ tx_hash: first?.hash }]]);
  await redis.stop();
  expect(await list()).toMatchObject([503, { status_code: 503, error: 'Service Unavailable' }]);
  expect(await (await fetch(`${edges.blockfrost}/health`)).json()).toEqual({ is_healthy: false });
  await redis.restart();
  await expect.poll(async () => (await list())[0], { timeout: 20_000 }).toBe(200);
  await pool.submit(second as Transaction);
  expect(await list()).toEqual([200, [{ tx_hash: first?.hash }, { tx_hash: second?.hash }]]);
});
