import assert from 'node:assert/strict';
import type { HeldLease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection } from '../../case/must.ts';
import {
  glance,
  lasting,
  newCampaign,
  newCandidate,
  renew,
  renewal,
  until,
  untilFree,
  untilTrue,
  uuid,
  win,
} from '../../scenario/lease.ts';

/** Stores may count in whole milliseconds. */
const roundingMs = 2;
const livesMs = 200;

/** A measured lifetime is never too short. It is too long if the look at its end is late. */
const rounds = 5;

/** How long the lease lived after the time that `begin` returns: the shortest of some rounds. */
async function livedFrom(store: LeaseStore, begin: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const from = await begin();
    await untilFree(store);
    shortest = Math.min(shortest, performance.now() - from);
  }
  return shortest;
}

/** The remaining time of a lease that began after `from` is at most the whole time, and not less than possible. */
function assertLeft(lease: HeldLease | null, ttlMs: number, from: number): void {
  assert.ok(lease);
  const { remainingMs } = lease;
  const leastMs = ttlMs - (performance.now() - from) - roundingMs;
  assert.ok(remainingMs === null || (remainingMs >= leastMs && remainingMs <= ttlMs));
}

async function memberOf(store: LeaseStore, nodeId: string) {
  return (await store.members()).find((member) => member.nodeId === nodeId);
}

/** A leader and a node that watches it. */
async function watched(context: CaseContext) {
  const [leader, follower] = [await context.leases(), await context.leases()];
  return { leader, follower, lease: await win(context, leader) };
}

const ownNodesTimes = eachElect({
  'LE4/lives: a lease lasts for its whole time': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lived = await livedFrom(other, async () => {
      const from = performance.now();
      await win(context, store, { ttlMs: livesMs });
      return from;
    });
    assert.ok(lived >= livesMs - roundingMs);
  },
  'LE4/renewed: a renewal restarts the time of the lease': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lived = await livedFrom(other, async () => {
      const lease = await win(context, store);
      const from = performance.now();
      await renew(store, lease, { ttlMs: livesMs });
      return from;
    });
    assert.ok(lived >= livesMs - roundingMs);
  },
  'LE4/expired-is-free: an expired lease is free for every node': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lease = await win(context, store, { ttlMs: 30 });
    await untilFree(other);
    assert.ok((await win(context, other)).term > lease.term);
  },
});

const oneNodeTimes = eachOnElection({
  'LE4/remaining: the remaining time of a lease is never more than its whole time': async (store, context) => {
    const wonMs = performance.now();
    const lease = await win(context, store, { ttlMs: 50_000 });
    assertLeft(lease, 50_000, wonMs);
    const renewedMs = performance.now();
    assertLeft(await renew(store, lease, { ttlMs: 90_000 }), 90_000, renewedMs);
    assertLeft((await store.observe()).lease, 90_000, renewedMs);
  },
});

const times: readonly ConformanceCase[] = [...ownNodesTimes, ...oneNodeTimes];

const takeovers: readonly ConformanceCase[] = eachElect({
  'LE4/taken-unmoved: a lease that has not moved is taken under a higher term, and the reply names its holder': async (
    context,
  ) => {
    const { leader, follower, lease } = await watched(context);
    const { token, seq } = lease;
    const request = newCampaign(context.random, { takeover: { token, seq }, floor: lease.term });
    const reply = await follower.campaign(request);
    assert.ok(reply.kind === 'won');
    assert.deepEqual(
      [reply.lease.token, reply.lease.term, lasting(reply.forced)],
      [request.token, lease.term + 1, lasting(lease)],
    );
    assert.equal((await leader.renew(lease, renewal(lease))).kind, 'lost');
    assert.deepEqual(await glance(leader), { lease: lasting(reply.lease), term: reply.lease.term });
  },
  'LE4/taken-moved: a lease that moved since it was seen is not taken': async (context) => {
    const { leader, follower, lease } = await watched(context);
    const moved = await renew(leader, lease, { heartbeat: 'still' });
    const takeover = { token: lease.token, seq: lease.seq };
    const reply = await follower.campaign(newCampaign(context.random, { takeover }));
    assert.equal(reply.kind, 'held');
    assert.deepEqual(lasting((await leader.observe()).lease), lasting(moved));
  },
  'LE4/taken-other: a lease other than the one seen is not taken': async (context) => {
    const { leader, follower, lease } = await watched(context);
    const takeover = { token: uuid(context.random), seq: lease.seq };
    const reply = await follower.campaign(newCampaign(context.random, { takeover }));
    assert.equal(reply.kind, 'held');
    assert.deepEqual(lasting((await leader.observe()).lease), lasting(lease));
  },
  'LE4/taken-without-beats: a lease that is renewed without heartbeats may be taken by its heartbeat seq': async (
    context,
  ) => {
    const { leader, follower, lease } = await watched(context);
    const still = await renew(leader, await renew(leader, lease, { heartbeat: 'still' }), { heartbeat: 'still' });
    const takeover = { token: lease.token, hbSeq: lease.hbSeq };
    const reply = await follower.campaign(newCampaign(context.random, { takeover }));
    assert.deepEqual([reply.kind, reply.kind === 'won' && lasting(reply.forced)], ['won', lasting(still)]);
  },
  'LE4/taken-beating: a lease with a heartbeat since it was seen is not taken': async (context) => {
    const { leader, follower, lease } = await watched(context);
    const moved = await renew(leader, lease, { heartbeat: 'beat' });
    const takeover = { token: lease.token, hbSeq: lease.hbSeq };
    const reply = await follower.campaign(newCampaign(context.random, { takeover }));
    assert.equal(reply.kind, 'held');
    assert.deepEqual(lasting((await leader.observe()).lease), lasting(moved));
  },
  'LE4/taken-by-token: a moving lease may be taken by its token alone': async (context) => {
    const { leader, follower, lease } = await watched(context);
    await renew(leader, lease);
    const reply = await follower.campaign(newCampaign(context.random, { takeover: { token: lease.token } }));
    assert.deepEqual([reply.kind, reply.kind === 'won' && reply.forced?.token], ['won', lease.token]);
    assert.equal((await leader.renew(lease, renewal(lease))).kind, 'lost');
  },
  'LE4/taken-free: a lease that has become free is won, not taken': async (context) => {
    const { leader, follower, lease } = await watched(context);
    await leader.release(lease);
    const takeover = { token: lease.token, seq: lease.seq };
    const reply = await follower.campaign(newCampaign(context.random, { takeover, floor: lease.term }));
    assert.deepEqual([reply.kind, reply.kind === 'won' && reply.forced], ['won', null]);
  },
  'LE4/taken-once: when many nodes take one lease, only one gets it': async (context) => {
    const { leader, lease } = await watched(context);
    const takeover = { token: lease.token, seq: lease.seq };
    const stores = [leader, await context.leases(), await context.leases()];
    const replies = await Promise.all(
      stores.flatMap((store) => [1, 2, 3].map(() => store.campaign(newCampaign(context.random, { takeover })))),
    );
    assert.equal(replies.filter(({ kind }) => kind === 'won').length, 1);
  },
});

const ownNodes = eachElect({
  'LE4/member: a heartbeat makes a node a member, and all nodes see its address and priority': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    assert.deepEqual(await other.members(), []);
    const [a, b] = [
      { ...newCandidate(context.random), address: 'http://a', priority: 40 },
      newCandidate(context.random),
    ];
    await store.heartbeat(a, 10_000);
    const answered = await other.heartbeat(b, 10_000);
    for (const told of [answered, await store.members()]) {
      const known = told.toSorted((x, y) => y.priority - x.priority).map(({ ageMs, ...member }) => member);
      assert.deepEqual(known, [
        { ...a, alive: true },
        { ...b, alive: true },
      ]);
      assert.ok(told.every(({ ageMs }) => ageMs >= 0 && ageMs < 10_000));
    }
  },
});

const oneNode = eachOnElection({
  'LE4/member-renewing: a renewal with a heartbeat makes the leader a member': async (store, context) => {
    const lease = await win(context, store);
    await renew(store, lease);
    assert.equal((await memberOf(store, lease.nodeId))?.alive, true);
  },
  'LE4/member-anew: a later heartbeat replaces the address and priority of an earlier one': async (store, context) => {
    const one = newCandidate(context.random);
    await store.heartbeat(one, 10_000);
    await store.heartbeat({ ...one, address: 'moved', priority: 9 }, 10_000);
    const { address, priority } = (await memberOf(store, one.nodeId)) ?? {};
    assert.deepEqual([address, priority, (await store.members()).length], ['moved', 9, 1]);
  },
  'LE4/member-gone: a node without heartbeats is gone after ttl and 5 s, and not before': async (store, context) => {
    const one = newCandidate(context.random);
    const from = performance.now();
    await store.heartbeat(one, 10);
    await until('the member is not alive', async () => ((await memberOf(store, one.nodeId))?.alive ? null : true));
    assert.ok(performance.now() - from >= 5_010 - roundingMs);
    await store.heartbeat(one, 10);
    await untilTrue('it is alive again', async () => (await memberOf(store, one.nodeId))?.alive === true);
  },
});

const members: readonly ConformanceCase[] = [...ownNodes, ...oneNode];

/** Cases of LE4: the time of a lease, takeovers and heartbeats. */
export const leaseTimeCases: readonly ConformanceCase[] = [...times, ...takeovers, ...members];
