import { expect, it } from 'vitest';
import { Cluster, lead } from './cluster.ts';

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

it('a hint that the lease is gone has the leader ask at once', async () => {
  const { cluster, told, wire } = await lead();
  wire.set('refused', 'campaign');
  cluster.leases.remove('watcher');
  await cluster.clock.settle();
  expect(told('lost')).toMatchObject([{ reason: 'taken' }]);
});
