import { expect, it } from 'vitest';
import { Cluster, lead, pair } from './cluster.ts';

it('a follower waits for a whole lease before it takes a store that has lost its data', async () => {
  const { cluster, first, second } = await pair();
  const { term } = first.election;
  await cluster.clock.advance(400);
  const seenMs = cluster.clock.monotonicMs();
  first.wire.set('refused');
  cluster.forget();
  await cluster.clock.advance(10_200);
  expect(cluster.leaders).not.toContain('b');
  expect(cluster.leases.held('watcher')).toBeNull();
  await cluster.clock.advance(seenMs + 10_900 - cluster.clock.monotonicMs());
  expect(cluster.leaders).toEqual(['b']);
  expect(second.election.term).toBeGreaterThan(term);
});

it('a renewal that a follower did not see is waited for too where the store has lost its data', async () => {
  const { cluster, election, wire } = await lead({ nodeId: 'a' });
  const second = await cluster.start({ nodeId: 'b' });
  let overlaps = 0;
  second.election.on('acquired', () => {
    if (election.isLeader()) overlaps += 1;
  });
  const { renewals } = election.metrics();
  while (election.metrics().renewals === renewals) await cluster.clock.advance(1);
  wire.set('refused');
  cluster.forget();
  await cluster.clock.advance(14_000);
  expect(cluster.leaders).toEqual(['b']);
  expect(overlaps).toBe(0);
});

it('a lease that was put back does not pass for one that stands still, though it moved as often before the loss', async () => {
  const { cluster, election, wire } = await lead({ nodeId: 'a' });
  const second = await cluster.start({ nodeId: 'b' });
  const leftMs: number[] = [];
  second.election.on('acquired', () => void leftMs.push(election.leadership?.remainingMs() ?? 0));
  cluster.forget();
  while (!wire.calls.includes('reinstate')) await cluster.clock.advance(1);
  await cluster.clock.advance(10);
  wire.set('refused');
  await cluster.clock.advance(12_000);
  expect(leftMs).toEqual([0]);
  expect(second.told('takeover-forced')).toEqual([]);
});

it('a leader whose own time is up does not put its lease back', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead();
  first.wire.set('refused');
  await cluster.clock.advance(3_000);
  cluster.forget();
  cluster.clock.stall(9_000);
  first.wire.heal();
  await cluster.clock.advance(5_000);
  expect(first.wire.calls).not.toContain('reinstate');
  expect(first.told('lost')).toMatchObject([{ reason: 'expired' }]);
});

it('a lease is not put back where another one holds it by now', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a' });
  first.wire.dropHints();
  cluster.forget();
  const fresh = await cluster.start({ nodeId: 'fresh' });
  await cluster.clock.advance(4_000);
  expect(first.told('lost')).toMatchObject([{ reason: 'taken' }]);
  expect(cluster.leaders).toEqual(['fresh']);
  expect(fresh.told('lost')).toEqual([]);
});

it('a lease that is put back after its holder has given up is released by it', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a', ttlMs: 3_000 });
  cluster.forget();
  first.wire.decide((verb) => (verb === 'reinstate' ? { afterMs: 4_000 } : verb === 'renew' ? 'served' : 'refused'));
  await cluster.clock.advance(4_500);
  expect(first.told('lost')).toMatchObject([{ reason: 'expired' }]);
  await cluster.clock.advance(600);
  const ghost = cluster.leases.held('watcher');
  expect(ghost).toMatchObject({ token: first.told('lost')[0]?.token });
  first.wire.heal();
  await cluster.clock.advance(600);
  expect(cluster.leaders).toEqual(['a']);
  expect(first.told('acquired')).toHaveLength(2);
  expect(cluster.leases.held('watcher')?.token).not.toBe(ghost?.token);
});

it('the highest term that a node has seen is its floor, over every loss of data and every restart', async () => {
  const { cluster, election, told } = await lead();
  for (let round = 0; round < 3; round += 1) {
    await cluster.during(election.stop());
    cluster.clock.setWall(-3_600_000);
    cluster.forget();
    await cluster.during(election.start(), 100);
  }
  const terms = told('acquired').map(({ term }) => term);
  expect(terms).toEqual([0, 1, 2, 3].map((later) => (terms[0] ?? 0) + later));
});

it.each([
  undefined,
  null,
  'OK',
  {},
  { kind: 'won' },
  { kind: 'renewed', lease: { token: 1 } },
  { lease: {}, term: 1 },
  [],
])('a store that answers %j is one that does not answer', async (answer) => {
  const cluster = new Cluster();
  const nodes = [await cluster.lead({ nodeId: 'a' }), await cluster.start({ nodeId: 'b' })] as const;
  const [{ election, told }] = nodes;
  const wrong = async () => answer as never;
  const verbs = { campaign: wrong, renew: wrong, reinstate: wrong, observe: wrong, heartbeat: wrong, members: wrong };
  const store = { ...cluster.leases.open('watcher'), ...verbs };
  for (const { wire } of nodes) wire.reconnect(store);
  await cluster.clock.advance(60_000);
  expect(told('lost')).toMatchObject([{ reason: 'expired' }]);
  expect([election.isLeader(), cluster.leaders]).toEqual([false, []]);
  for (const { wire } of nodes) wire.reconnect(cluster.leases.open('watcher'));
  await cluster.clock.advance(60_000);
  expect(cluster.leaders).toHaveLength(1);
});
