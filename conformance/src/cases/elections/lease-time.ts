import assert from 'node:assert/strict';
import type { HeldLease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection } from '../../case/must.ts';
import {
  lasting,
  newCampaign,
  newCandidate,
  renew,
  renewal,
  until,
  untilFree,
  untilTrue,
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
