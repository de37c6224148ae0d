import type { Lease } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it } from 'vitest';
import { Cluster } from './cluster.ts';

const block = { point: { slot: 1, hash: 'b'.repeat(64) }, seen: [], unseen: [] };

async function leaseOfLeader(cluster: Cluster, stalledMs: number): Promise<Lease> {
  const { election } = await cluster.lead();
  const lease = election.leadership?.lease;
  if (lease === undefined) throw new Error('this node was to lead');
  cluster.clock.stall(stalledMs);
  return lease;
}

it("a pool of the same process applies a block under the leader's lease", async () => {
  const cluster = new Cluster();
  const store = await ephemeral.open({ leases: cluster.leases, fenced: true });
  const lease = await leaseOfLeader(cluster, 0);
  expect(await store.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
  await store.close();
});

it('a leader that stood still past its ttl is fenced there before anybody else has won', async () => {
  const cluster = new Cluster();
  const store = await ephemeral.open({ leases: cluster.leases, fenced: true });
  const lease = await leaseOfLeader(cluster, 10_000);
  expect(await store.confirm(block, {}, { lease })).toEqual({ kind: 'fenced', tip: { point: null, tick: 0 } });
  await store.close();
});

it('a block that is applied begins the time of the lease anew, and leaves its seq', async () => {
  const cluster = new Cluster();
  const store = await ephemeral.open({ leases: cluster.leases });
  const lease = await leaseOfLeader(cluster, 9_000);
  const before = await cluster.leases.open('watcher').observe();
  await store.confirm(block, {}, { lease });
  const after = await cluster.leases.open('watcher').observe();
  expect(before.lease?.remainingMs).toBeCloseTo(999, -1);
  expect(after.lease).toEqual({ ...before.lease, remainingMs: 10_000 });
  await store.close();
});
