import { createHash } from 'node:crypto';
import { StargateClient } from '@cosmjs/stargate';
import { Comet38Client } from '@cosmjs/tendermint-rpc';
import { expect, test } from 'vitest';
import { EdgeWorld, sharedBackends } from '../../server/test/edges/edge-world.ts';

const edges = { cometbft: { chainId: 'test-1' } };

function clientOf(world: EdgeWorld, server: number): Promise<Comet38Client> {
  return Comet38Client.connect(world.servers[server]?.edges.cometbft as string);
}

const bytesOf = (i: number): Uint8Array => new TextEncoder().encode(`key${i}=value`);
const hashOf = (i: number): string => createHash('sha256').update(bytesOf(i)).digest('hex');
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** What a server tells of waiting transactions: how many there are, and the first hundred. */
async function waiting(world: EdgeWorld, server: number): Promise<object> {
  const url = `${world.servers[server]?.edges.cometbft}/unconfirmed_txs?limit=100`;
  const { result } = (await (await fetch(url)).json()) as { result: { total: string; txs: string[] } };
  const { total, totalBytes } = await (await clientOf(world, server)).numUnconfirmedTxs();
  expect(String(total)).toBe(result.total);
  return { totalBytes, txs: result.txs };
}

function expected(which: readonly number[]): object {
  const all = which.map(bytesOf);
  const totalBytes = all.reduce((sum, { length }) => sum + length, 0);
  return { totalBytes, txs: all.slice(0, 100).map((tx) => Buffer.from(tx).toString('base64')) };
}

test.for(['ephemeral', ...sharedBackends] as const)('the client of CosmJS, through forks: %s', async (backend) => {
  const ordering = backend === 'sqlite' ? 'priority' : 'fifo';
  const world = await EdgeWorld.open(backend, { mempool: { ordering }, edges });
  const last = world.servers.length - 1;
  for (const i of numbers(0, 120)) {
    const { hash } = await (await clientOf(world, i % (last + 1))).broadcastTxSync({ tx: bytesOf(i) });
    expect(Buffer.from(hash).toString('hex')).toBe(hashOf(i));
  }
  for (const server of world.servers.keys()) expect(await waiting(world, server)).toEqual(expected(numbers(0, 120)));
  world.apply(...numbers(0, 50).map(hashOf));
  await expect.poll(() => waiting(world, last)).toEqual(expected(numbers(50, 120)));
  world.undo(1);
  world.apply(...numbers(0, 10).map(hashOf));
  for (const server of world.servers.keys())
    await expect.poll(() => waiting(world, server)).toEqual(expected(numbers(10, 120)));
  expect((await (await clientOf(world, 0)).status()).syncInfo.latestBlockHeight).toBe(3);
  await expect((await clientOf(world, last)).broadcastTxSync({ tx: bytesOf(3) })).rejects.toThrow('already exists');
});

test.for(sharedBackends)('the client of CosmJS, through a kill of the leader and restarts: %s', async (backend) => {
  const world = await EdgeWorld.open(backend, { edges });
  const send = async (server: number, i: number): Promise<void> => {
    await (await clientOf(world, server)).broadcastTxSync({ tx: bytesOf(i) });
  };
  // A fork needs a block before it that stays.
  world.apply();
  for (const i of numbers(0, 40)) await send(0, i);
  world.apply(...numbers(0, 10).map(hashOf));
  await expect.poll(() => waiting(world, 1)).toEqual(expected(numbers(10, 40)));
  const killed = await world.killLeader();
  const other = 1 - killed;
  expect(await waiting(world, other)).toEqual(expected(numbers(10, 40)));
  for (const i of numbers(40, 60)) await send(other, i);
  world.undo(1);
  world.apply(...numbers(0, 5).map(hashOf));
  await expect.poll(() => waiting(world, other), { timeout: 20_000 }).toEqual(expected(numbers(5, 60)));
  await world.start(killed);
  expect(await waiting(world, killed)).toEqual(expected(numbers(5, 60)));
  const { child, ended } = world.servers[other] as EdgeWorld['servers'][number];
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  world.apply(...numbers(5, 60).map(hashOf));
  await expect.poll(() => waiting(world, killed), { timeout: 20_000 }).toEqual(expected([]));
});

/** Sends with CosmJS's own wait, which polls. */
async function sentAndFound(url: string, tx: Uint8Array): Promise<number> {
  const client = await StargateClient.connect(url);
  const { height, code } = await client.broadcastTx(tx, 60_000, 50);
  expect(code).toBe(0);
  return height;
}

test.for(['ephemeral', ...sharedBackends] as const)(
  'CosmJS sends and waits, also through forks and a kill: %s',
  async (backend) => {
    const world = await EdgeWorld.open(backend, { edges });
    const urls = world.servers.map(({ edges: { cometbft = '' } }) => cometbft);
    const [first = ''] = urls;
    const last = urls.at(-1) ?? '';
    // A fork needs a block before it that stays.
    world.apply();
    const sent = Promise.all(numbers(0, 20).map((i) => sentAndFound(i % 2 === 0 ? first : last, bytesOf(i))));
    await expect
      .poll(() => waiting(world, 0))
      .toEqual(expect.objectContaining({ totalBytes: 20 * 'key0=value'.length + 10 }));
    world.apply(...numbers(0, 20).map(hashOf));
    expect(await sent).toEqual(Array(20).fill(2));
    world.undo(1);
    const client = await StargateClient.connect(last);
    await expect.poll(() => client.getTx(hashOf(0).toUpperCase())).toBeNull();
    world.apply();
    world.apply(...numbers(0, 20).map(hashOf));
    await expect.poll(async () => (await client.getTx(hashOf(0).toUpperCase()))?.height).toBe(5);
    if (backend === 'ephemeral') return;
    const other = 1 - (await world.killLeader());
    const late = sentAndFound(urls[other] as string, bytesOf(20));
    await expect
      .poll(() => waiting(world, other))
      .toMatchObject({ txs: [Buffer.from(bytesOf(20)).toString('base64')] });
    world.apply(hashOf(20));
    expect(await late).toBe(6);
    // More blocks make them final: they are read from the log.
    for (const _ of numbers(0, 4)) world.apply();
    const final = await StargateClient.connect(urls[other] as string);
    await expect.poll(async () => (await final.getTx(hashOf(5).toUpperCase()))?.tx).toEqual(bytesOf(5));
  },
);
