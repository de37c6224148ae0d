import { expect, it } from 'vitest';
import { Cluster, lead, OwnWall } from './cluster.ts';

// With a ttl of 10 s: margin 202 ms, renewals every 3,333 ms, an answer may take 3,232 ms.
const believedMs = 10_000 - 202;

it('a node that is alone wins, renews, and tells each step once', async () => {
  const { cluster, election, events } = await lead({ nodeId: 'a' });
  await cluster.clock.advance(60_000);
  expect(election.isLeader()).toBe(true);
  expect(cluster.leases.held('watcher')).toEqual(election.leadership?.lease);
  expect(election.metrics().renewals).toBe(18);
  await cluster.during(election.stop());
  expect(cluster.leases.held('watcher')).toBeNull();
  const { term } = election;
  const leader = { nodeId: 'a', address: null, priority: 0, term };
  const token = expect.any(String);
  expect(events).toEqual([
    { kind: 'state-changed', from: 'follower', to: 'candidate', term: 0 },
    { kind: 'state-changed', from: 'candidate', to: 'leader', term },
    { kind: 'acquired', term, token },
    { kind: 'leader-changed', term, leader },
    { kind: 'lost', term, token, reason: 'stopped' },
    { kind: 'state-changed', from: 'leader', to: 'follower', term },
    { kind: 'leader-changed', term, leader: null },
  ]);
  expect(cluster.clock.pending).toBe(0);
});

it('the log tells who leads, but not the token, with which anybody could write as the leader', async () => {
  const lines: unknown[] = [];
  const { election } = await lead({ nodeId: 'a', log: (...line) => lines.push(line) });
  const { token = '', term } = election.leadership?.lease ?? {};
  expect(lines).toContainEqual(['info', 'leadership acquired', { election: 'watcher', nodeId: 'a', term }]);
  expect(token).not.toBe('');
  expect(JSON.stringify(lines)).not.toContain(token);
});

it('the first term of a new store is its time in seconds, and each later one is higher', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead();
  expect(first.election.term).toBe(Math.floor(cluster.clock.wallMs() / 1000));
  const terms = [first.election.term];
  for (let round = 0; round < 3; round += 1) {
    const next = await cluster.start();
    cluster.leases.remove('watcher');
    await cluster.clock.advance(1_000);
    terms.push(next.election.term);
  }
  expect(terms).toEqual([...new Set(terms)].toSorted((a, b) => a - b));
});

it('a leader whose renewal hangs says lost when its own time is up, before the lease is free', async () => {
  const { cluster, election, wire, told } = await lead();
  const { signal } = election.leadership ?? {};
  wire.set('hung');
  await cluster.clock.advance(believedMs - 2);
  expect(election.isLeader()).toBe(true);
  expect(told('lost')).toEqual([]);
  const held = cluster.leases.held('watcher');
  await cluster.clock.advance(2);
  expect(held).not.toBeNull();
  expect(election.isLeader()).toBe(false);
  expect(signal?.aborted).toBe(true);
  expect(told('lost')).toMatchObject([{ reason: 'expired' }]);
});

it('time counts from when a request was sent, not from when it was answered', async () => {
  const cluster = new Cluster();
  const node = cluster.node();
  node.wire.set({ afterMs: 3_000 }, 'campaign');
  await node.election.start();
  await cluster.clock.advance(3_001);
  expect(node.election.leadership?.remainingMs()).toBeCloseTo(believedMs - 3_001, -1);
});

it('a renewal that is answered too late does not bring the leadership back', async () => {
  const { cluster, election, wire, told } = await lead({ ttlMs: 1_000, renewMs: 300 });
  const leadership = election.leadership;
  wire.set({ afterMs: 300 }, 'renew');
  await cluster.clock.advance(310);
  cluster.clock.stall(700);
  expect(leadership?.isLeader()).toBe(false);
  await cluster.clock.advance(1);
  expect(leadership?.isLeader()).toBe(false);
  expect(told('lost')).toMatchObject([{ reason: 'expired' }]);
});

it('a leader tries again when renewals fail, and keeps its lease when one gets through', async () => {
  const { cluster, election, wire, told } = await lead();
  const { term } = election;
  wire.set('refused', 'renew');
  await cluster.clock.advance(9_000);
  expect(election.metrics().renewalFailures).toBeGreaterThan(10);
  wire.heal();
  await cluster.clock.advance(20_000);
  expect(told('lost')).toEqual([]);
  expect(election.isLeader()).toBe(true);
  expect(election.term).toBe(term);
});

it('a renewal that was done but not heard of is no loss', async () => {
  const { cluster, election, wire, told } = await lead();
  let renewals = 0;
  wire.decide((verb) => (verb === 'renew' && renewals++ % 2 === 0 ? 'unheard' : 'served'));
  await cluster.clock.advance(60_000);
  expect(told('lost')).toEqual([]);
  expect(election.isLeader()).toBe(true);
});

it('a process that stood still longer than its lease knows at its first statement', async () => {
  const { cluster, election, told } = await lead();
  const { leadership } = election;
  cluster.clock.stall(believedMs);
  expect(election.isLeader()).toBe(false);
  expect(election.leadership).toBeNull();
  expect(() => leadership?.assertValid()).toThrow(expect.objectContaining({ code: 'ERR_ELECTION_NOT_LEADER' }));
  expect(leadership?.remainingMs()).toBe(0);
  expect(told('lost')).toEqual([]);
  await cluster.clock.settle();
  expect(told('lost')).toMatchObject([{ reason: 'expired' }]);
});

it('a machine that was suspended, whose monotonic clock stood still, knows by its wall clock', async () => {
  const cluster = new Cluster();
  const clock = new OwnWall(cluster.clock);
  const { election, told } = await cluster.lead({ clock });
  clock.set(believedMs);
  expect(election.isLeader()).toBe(false);
  clock.set(-believedMs);
  expect(election.isLeader()).toBe(false);
  await cluster.clock.settle();
  expect(told('lost')).toMatchObject([{ reason: 'expired' }]);
});

it('a wall clock that is set back does not lengthen a leadership', async () => {
  const cluster = new Cluster();
  const clock = new OwnWall(cluster.clock);
  const { election, wire } = await cluster.lead({ clock });
  clock.set(-3_600_000);
  await cluster.clock.advance(20_000);
  expect(election.isLeader()).toBe(true);
  wire.set('refused');
  await cluster.clock.advance(believedMs);
  expect(election.isLeader()).toBe(false);
});

it('two nodes whose wall clocks are an hour apart never lead at once, whichever way they are set', async () => {
  for (const byMs of [3_600_000, -3_600_000]) {
    const cluster = new Cluster();
    const clock = new OwnWall(cluster.clock);
    clock.set(byMs);
    const first = await cluster.lead({ clock });
    const second = await cluster.start();
    first.wire.set('refused');
    for (let ms = 0; ms < 12_000; ms += 50) {
      await cluster.clock.advance(50);
      expect(cluster.leaders.length).toBeLessThan(2);
    }
    expect(second.election.isLeader()).toBe(true);
  }
});

it('a leader whose lease an operator has removed says so, and does not take it back from the next one', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a' });
  first.wire.dropHints();
  const second = await cluster.start({ nodeId: 'b' });
  cluster.leases.remove('watcher');
  await cluster.clock.advance(4_000);
  expect(first.told('lost')).toMatchObject([{ reason: 'taken' }]);
  expect(cluster.leaders).toEqual(['b']);
  expect(second.election.term).toBeGreaterThan(first.told('acquired')[0]?.term ?? 0);
  expect(first.election.leader?.nodeId).toBe('b');
});

it('a hint that the lease is gone has the leader ask at once', async () => {
  const { cluster, told, wire } = await lead();
  wire.set('refused', 'campaign');
  cluster.leases.remove('watcher');
  await cluster.clock.settle();
  expect(told('lost')).toMatchObject([{ reason: 'taken' }]);
});
