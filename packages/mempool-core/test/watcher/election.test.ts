import { Mempool, type MempoolStore, Watcher } from 'mempool-core';
import { createElection, type Election, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { describe, expect, it } from 'vitest';
import { Blocks, eventually, lostLock, notWatcher } from './scene.ts';
import { ScriptedChain } from './scripted-chain.ts';

interface Node extends AsyncDisposable {
  readonly election: Election;
  readonly chain: ScriptedChain;
  readonly lines: string[];
}

async function start(leases: Leases, pool: MempoolStore, nodeId: string): Promise<Node> {
  const election = createElection(inProcessElection, { leases, nodeId, ttlMs: 1_000, pollMs: 20, jitterMs: 0 });
  const chain = new ScriptedChain();
  const lines: string[] = [];
  const watcher = new Watcher({ election, pool, source: chain, log: (_, message) => void lines.push(message) });
  await watcher.start();
  await election.start();
  const stop = async (): Promise<void> => {
    await watcher.stop();
    await election.stop();
  };
  return { election, chain, lines, [Symbol.asyncDispose]: stop };
}

async function appliedOf(pool: MempoolStore): Promise<string[]> {
  return (await pool.tip({ points: 100 })).points.map((point) => point.hash).reverse();
}

describe('two watchers over elections in one process', () => {
  it('hand the chain over when the leader stops: the next one goes on where the pool is', async () => {
    const leases = new Leases();
    await using pool = await ephemeral.open({ leases, fenced: true });
    await using a = await start(leases, pool, 'a');
    await eventually(() => expect(a.election.isLeader()).toBe(true));
    await using b = await start(leases, pool, 'b');
    const blocks = new Blocks().of('b1..b6');
    const hashes = blocks.map(({ point }) => point.hash);
    a.chain.grow(...blocks.slice(0, 3));
    b.chain.grow(...blocks);
    await eventually(async () => expect(await appliedOf(pool)).toEqual(hashes.slice(0, 3)));
    await eventually(() => expect(b.lines).toEqual(Array(6).fill(notWatcher)));
    await a.election.stop();
    await eventually(async () => expect(await appliedOf(pool)).toEqual(hashes));
    expect((await pool.tip()).tick).toBe(6);
    expect(b.lines.at(-1)).toBe('acquired watcher lock');
    expect(b.election.term).toBeGreaterThan(a.election.term);
  });

  it('fence the one whose lease was taken away, and lose no block by it', async () => {
    const leases = new Leases();
    await using pool = await ephemeral.open({ leases, fenced: true });
    await using a = await start(leases, pool, 'a');
    await eventually(() => expect(a.election.isLeader()).toBe(true));
    const [b1, b2, b3] = new Blocks().of('b1 b2 b3');
    a.chain.grow(b1);
    await eventually(async () => expect((await pool.tip()).tick).toBe(1));
    leases.remove('watcher');
    a.chain.grow(b2);
    await eventually(() => expect(a.lines).toContain(lostLock));
    await using b = await start(leases, pool, 'b');
    b.chain.grow(b1, b2);
    a.chain.grow(b3);
    b.chain.grow(b3);
    await eventually(async () => {
      expect(await appliedOf(pool)).toEqual([b1, b2, b3].map(({ point }) => point.hash));
    });
  });
});

it('a Mempool hands the lease of confirm and rollback on to its store (X6)', async () => {
  const leases = new Leases();
  await using election = createElection(inProcessElection, { leases, jitterMs: 0 });
  await election.start();
  await eventually(() => expect(election.isLeader()).toBe(true));
  await using pool = new Mempool(await ephemeral.open({ leases }));
  const [b1] = new Blocks().of('b1');
  const lease = election.leadership?.lease;
  expect(await pool.confirm(b1)).toMatchObject({ kind: 'fenced' });
  expect(await pool.confirm(b1, {}, { lease })).toMatchObject({ kind: 'applied' });
  expect(await pool.rollback('origin')).toMatchObject({ kind: 'fenced' });
  expect(await pool.rollback('origin', { lease })).toMatchObject({ kind: 'rolled-back' });
  await expect(pool.confirm(b1, {}, { lease: { ...lease, term: 0 } as never })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_INVALID',
    details: { field: 'lease.term' },
  });
});
