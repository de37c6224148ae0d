import { expect, it } from 'vitest';
import { NodeIdentity } from '../src/node/node-identity.ts';
import { Cluster, lead } from './cluster.ts';

it('a node started again on the same object is not in conflict with itself', async () => {
  const { cluster, election, wire, told } = await lead({ nodeId: 'fixed' });
  wire.set('refused', 'release');
  await cluster.during(election.stop());
  wire.heal();
  await cluster.during(election.start(), 600);
  expect(told('identity-conflict')).toEqual([]);
  expect(election.isLeader()).toBe(true);
});

it('a leader whose lease is with another one of its id gives up by that name', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'same' });
  first.wire.dropHints();
  cluster.leases.remove('watcher');
  const second = await cluster.start({ nodeId: 'same' });
  await cluster.clock.advance(4_000);
  expect(first.told('lost')).toMatchObject([{ reason: 'conflict' }]);
  expect(first.told('identity-conflict')).toHaveLength(1);
  expect(second.election.isLeader()).toBe(true);
  expect(first.election.isLeader()).toBe(false);
});

it('a token stays known after an unanswered campaign, and is forgotten where all were answered', () => {
  for (const answered of [true, false]) {
    const identity = new NodeIdentity('a');
    const token = identity.createToken();
    if (answered) identity.forgetToken(token);
    else identity.markUncertain(token);
    expect(identity.createToken()).not.toBe(token);
    expect(identity.owns({ nodeId: 'a', token })).toBe(!answered);
    expect(identity.mayHaveWon({ nodeId: 'a', token })).toBe(!answered);
    identity.clearUncertain();
    expect(identity.mayHaveWon({ nodeId: 'a', token })).toBe(false);
  }
});
