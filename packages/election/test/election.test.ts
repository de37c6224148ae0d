import { expect, it } from 'vitest';
import { createElection, type Election, type ElectionEvent, inProcessElection, Leases } from '../src/index.ts';
import { ManualClock } from './manual-clock.ts';

function record(election: Election): ElectionEvent[] {
  const events: ElectionEvent[] = [];
  for (const kind of ['state-changed', 'acquired', 'lost', 'election-failed', 'leader-changed'] as const) {
    election.on(kind, (event) => events.push(event));
  }
  return events;
}

it('a node that is alone wins, renews, and gives the lease back when it stops', async () => {
  const clock = new ManualClock();
  const leases = new Leases({ clock });
  const election = createElection(inProcessElection, { leases, clock, nodeId: 'a' });
  const events = record(election);
  await election.start();
  await clock.advance(60);
  expect(election.isLeader()).toBe(true);
  await clock.advance(60_000);
  expect(election.isLeader()).toBe(true);
  expect(leases.held('watcher')).toEqual(election.leadership?.lease);
  expect(election.metrics().renewals).toBeGreaterThan(15);
  await election.stop();
  expect(leases.held('watcher')).toBeNull();
  expect(election.state).toBe('follower');
  expect(events.map(({ kind }) => kind)).toEqual([
    'state-changed',
    'state-changed',
    'acquired',
    'leader-changed',
    'lost',
    'state-changed',
    'leader-changed',
  ]);
  expect(clock.pending).toBe(0);
});

it('work runs as leader, and its result comes back', async () => {
  const clock = new ManualClock();
  await using election = createElection(inProcessElection, { leases: new Leases({ clock }), clock });
  const result = election.runAsLeader((signal, term, leadership) => {
    return { aborted: signal.aborted, term, leads: leadership.isLeader() };
  });
  await election.start();
  await clock.advance(100);
  expect(await result).toEqual({ aborted: false, term: election.term, leads: true });
});
