import { expect, it, vi } from 'vitest';
import { Cluster } from './cluster.ts';

it('a clean stop hands over at once by a hint, and within one poll without hints', async () => {
  for (const [hints, mostMs] of [
    [true, 1],
    [false, 501],
  ] as const) {
    const cluster = new Cluster();
    const first = await cluster.lead();
    const second = await cluster.start();
    if (!hints) second.wire.dropHints();
    await cluster.during(first.election.stop());
    await cluster.clock.advance(mostMs);
    expect(second.election.isLeader()).toBe(true);
  }
});

it('a release is not missed while the answer to a campaign that was lost is on its way', async () => {
  const cluster = new Cluster();
  const [first, second] = [cluster.node({ nodeId: 'a' }), cluster.node({ nodeId: 'b' })];
  second.wire.set({ answeredAfterMs: 100 }, 'campaign');
  void first.election.start();
  void second.election.start();
  await cluster.clock.settle();
  expect([first.election.state, second.election.state]).toEqual(['leader', 'candidate']);
  await Promise.all([first.election.stop(), cluster.clock.settle()]);
  second.wire.heal();
  await cluster.clock.advance(99);
  expect(second.told('election-failed')).toEqual([]);
  await cluster.clock.advance(2);
  expect(second.told('election-failed')).toHaveLength(1);
  expect(second.election.isLeader()).toBe(true);
});

it('an observer is a member that sees who leads, and never leads, whatever becomes of the leader', async () => {
  const cluster = new Cluster();
  const watching = await cluster.start({ nodeId: 'watching', observer: true });
  await cluster.clock.advance(30_000);
  expect(watching.election.leader).toBe(null);
  const first = await cluster.lead({ nodeId: 'a' });
  await cluster.clock.advance(4_000);
  expect(watching.election.leader).toMatchObject({ nodeId: 'a' });
  const members = first.election.members();
  await cluster.during(members);
  const alive = (await members).filter((each) => each.alive).map(({ nodeId }) => nodeId);
  expect(alive.toSorted()).toEqual(['a', 'watching']);
  first.wire.set('refused');
  await cluster.clock.advance(60_000);
  expect([watching.election.state, watching.election.leader]).toEqual(['follower', null]);
  const refused = { code: 'ERR_ELECTION_OPTION', message: expect.stringContaining('observer') };
  await expect(watching.election.campaign()).rejects.toMatchObject(refused);
  await expect(watching.election.depose(1)).rejects.toMatchObject(refused);
  await expect(watching.election.runAsLeader(() => 1)).rejects.toMatchObject(refused);
});

/** A lease that never runs out and that nobody renews, as `PERSIST` leaves one. */
async function keepForEver({ leases }: Cluster, nodeId: string): Promise<void> {
  const candidate = { nodeId, address: 'host:1', priority: 3 };
  const free = { floor: 0, dataLoss: 'wait', takeover: null } as const;
  await leases.open('watcher').campaign({ candidate, ttlMs: 1e9, token: 'for-ever', ...free });
}

it('a lease that never runs out is taken when its seq has not moved for ttl · 1.02 + 50 ms', async () => {
  const cluster = new Cluster();
  await keepForEver(cluster, 'dead');
  const { election, events, told } = await cluster.start();
  await cluster.clock.advance(10_249);
  expect(election.isLeader()).toBe(false);
  await cluster.clock.advance(2);
  expect(election.isLeader()).toBe(true);
  const from = { nodeId: 'dead', address: 'host:1', priority: 3 };
  expect(told('takeover-forced')).toMatchObject([{ from, term: election.term }]);
  expect(events.slice(-3).map(({ kind }) => kind)).toEqual(['takeover-forced', 'acquired', 'leader-changed']);
  expect(election.metrics().forcedTakeovers).toBe(1);
});

it('a lease that moves while a takeover is on its way stays where it is', async () => {
  const cluster = new Cluster();
  await keepForEver(cluster, 'slow');
  const { election, wire } = await cluster.start({ staleHeartbeatMs: false });
  const term = election.leader?.term ?? 0;
  wire.set({ afterMs: 500 }, 'campaign');
  await cluster.clock.advance(10_300);
  expect(election.state).toBe('candidate');
  const candidate = { nodeId: 'slow', address: null, priority: 0 };
  await cluster.leases
    .open('watcher')
    .renew({ nodeId: 'slow', token: 'for-ever', term }, { candidate, ttlMs: 1e9, heartbeat: 'beat' });
  await cluster.clock.advance(9_000);
  expect(election.isLeader()).toBe(false);
  expect(cluster.leases.held('watcher')).toMatchObject({ nodeId: 'slow' });
});

it('a leader that renews but whose heartbeat stands still is replaced, after two looks', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a', progressTimeoutMs: 600_000, staleHeartbeatMs: false });
  const second = await cluster.start({ nodeId: 'b' });
  await cluster.clock.advance(300_000 + 15_000 - 3_400);
  expect(cluster.leaders).toEqual(['a']);
  await cluster.clock.advance(3_400 + 1_000);
  expect(cluster.leaders).toEqual(['b']);
  expect(second.told('takeover-forced')).toMatchObject([{ from: { nodeId: 'a' } }]);
  expect(first.told('lost')).toMatchObject([{ reason: 'taken' }]);
});

it('a heartbeat that stands still is left alone where that is turned off', async () => {
  const cluster = new Cluster();
  await cluster.lead({ nodeId: 'a', progressTimeoutMs: 600_000, staleHeartbeatMs: false });
  await cluster.start({ nodeId: 'b', staleHeartbeatMs: false });
  await cluster.clock.advance(500_000);
  expect(cluster.leaders).toEqual(['a']);
});

it('of those who wait, the one of the highest priority wins', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a', priority: 100 });
  await cluster.start({ nodeId: 'low', priority: 1 });
  await cluster.start({ nodeId: 'high', priority: 3 });
  await cluster.start({ nodeId: 'mid', priority: 2 });
  await cluster.clock.advance(4_000);
  await cluster.during(first.election.stop(), 1);
  expect(cluster.leaders).toEqual(['high']);
  await cluster.clock.advance(10_000);
  expect(cluster.leaders).toEqual(['high']);
});

it('a node of low priority waits 50 ms for each step, then leads where no better one does', async () => {
  const cluster = new Cluster();
  const high = cluster.node({ nodeId: 'high', priority: 4 });
  high.wire.set('refused', 'campaign');
  const low = cluster.node({ nodeId: 'low', priority: 1 });
  await Promise.all([high.election.start(), low.election.start()]);
  await cluster.clock.advance(149);
  expect(cluster.leaders).toEqual([]);
  await cluster.clock.advance(2);
  expect(cluster.leaders).toEqual(['low']);
});

it('priority takes the lease from nobody', async () => {
  const cluster = new Cluster();
  await cluster.lead({ nodeId: 'low' });
  await cluster.start({ nodeId: 'high', priority: 100 });
  await cluster.clock.advance(120_000);
  expect(cluster.leaders).toEqual(['low']);
});

it('the jitter and the start delay are a random part of what was asked for', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const cluster = new Cluster();
  const { election, events } = cluster.node({ startDelayMs: 1_000, jitterMs: 200 });
  const started = election.start();
  await cluster.clock.advance(499);
  expect(events).toEqual([]);
  await cluster.clock.advance(1);
  await started;
  expect(election.state).toBe('candidate');
  await cluster.clock.advance(99);
  expect(election.isLeader()).toBe(false);
  await cluster.clock.advance(1);
  expect(election.isLeader()).toBe(true);
  random.mockRestore();
});

it('a campaign that was won but not heard of is adopted, with one term and one acquired', async () => {
  const cluster = new Cluster();
  const { election, wire, told } = cluster.node();
  wire.dropHints();
  wire.set('unheard', 'campaign');
  await election.start();
  await cluster.clock.advance(1);
  const held = cluster.leases.held('watcher');
  expect(held).not.toBeNull();
  expect(told('election-failed')).toMatchObject([{ error: expect.any(Error) }]);
  expect(election.state).toBe('follower');
  wire.heal();
  await cluster.clock.advance(501);
  expect(election.leadership?.lease).toEqual(held);
  expect(told('acquired')).toHaveLength(1);
});

it('a campaign that was not heard of is not won anew with its token, which others may have seen standing still', async () => {
  const cluster = new Cluster();
  const first = cluster.node({ nodeId: 'a', ttlMs: 2_000 });
  first.wire.dropHints();
  first.wire.set('unheard', 'campaign');
  await first.election.start();
  await cluster.clock.advance(1);
  const unheard = cluster.leases.held('watcher');
  const second = await cluster.start({ nodeId: 'b', ttlMs: 2_000 });
  let overlaps = 0;
  second.election.on('acquired', () => {
    if (first.election.isLeader()) overlaps += 1;
  });
  first.wire.set('refused');
  second.wire.set('hung', 'campaign');
  await cluster.clock.advance(1_990);
  first.wire.heal();
  while (!first.election.isLeader()) await cluster.clock.advance(5);
  expect(first.election.leadership?.lease.token).not.toBe(unheard?.token);
  first.wire.set('refused', 'renew');
  second.wire.heal();
  await cluster.clock.advance(4_000);
  expect(overlaps).toBe(0);
});

it('a campaign that arrives after its node has given up waiting leaves no ghost', async () => {
  const cluster = new Cluster();
  const first = cluster.node({ nodeId: 'a' });
  first.wire.set({ afterMs: 5_000 }, 'campaign');
  await first.election.start();
  await cluster.clock.advance(3_300);
  expect(first.told('election-failed')).toHaveLength(1);
  first.wire.heal();
  await cluster.clock.advance(500);
  expect(cluster.leaders).toEqual(['a']);
  const { lease } = first.election.leadership ?? {};
  await cluster.clock.advance(60_000);
  expect(cluster.leases.held('watcher')).toEqual(lease);
  expect(first.told('acquired')).toHaveLength(1);
});

it('a campaign that arrives when another node has come and gone is adopted by the next of the one who sent it', async () => {
  const cluster = new Cluster();
  const first = cluster.node({ nodeId: 'a' });
  let campaigns = 0;
  first.wire.decide((verb) => (verb === 'campaign' && campaigns++ === 0 ? { afterMs: 9_000 } : 'served'));
  await first.election.start();
  const second = await cluster.lead({ nodeId: 'b' });
  await cluster.clock.advance(8_000);
  cluster.leases.remove('watcher');
  second.wire.set('refused');
  first.wire.set('refused', 'campaign', 'renew');
  await cluster.clock.advance(1_000);
  const ghost = cluster.leases.held('watcher');
  expect(ghost?.nodeId).toBe('a');
  expect(first.election.isLeader()).toBe(false);
  first.wire.heal();
  await cluster.clock.advance(1_100);
  expect(first.election.isLeader()).toBe(true);
  expect(first.told('identity-conflict')).toEqual([]);
  expect(first.told('acquired')).toHaveLength(1);
});

it('a store that does not answer is told once, and the follower goes on looking', async () => {
  const cluster = new Cluster();
  const { election, wire, told } = cluster.node();
  wire.set('refused');
  await election.start();
  await cluster.clock.advance(30_000);
  expect(told('election-failed')).toHaveLength(1);
  expect(election.metrics().storeErrors).toBeGreaterThan(60);
  wire.heal();
  await cluster.clock.advance(501);
  expect(election.isLeader()).toBe(true);
});

it('a store that answers nothing at all holds nobody up for ever', async () => {
  const cluster = new Cluster();
  const { election, wire } = cluster.node();
  wire.set('hung');
  await cluster.during(election.start(), 10_000);
  wire.heal();
  await cluster.clock.advance(4_000);
  expect(election.isLeader()).toBe(true);
});
