import assert from 'node:assert/strict';
import type { HeldLease, Lease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection, mustElect, needing } from '../../case/must.ts';
import { checkLeaseHistory } from '../../histories/lease-history.ts';
import {
  expire,
  glance,
  lasting,
  longTtlMs,
  newCampaign,
  renew,
  renewal,
  shortTtlMs,
  still,
  until,
  uuid,
  win,
} from '../../scenario/lease.ts';

/** How far the store's clock may differ from this process's, in seconds. */
const clockSkewSeconds = 60;

/** Two nodes of an election, the first of which leads. */
async function ledBy(
  context: CaseContext,
): Promise<readonly [LeaseStore, LeaseStore, Awaited<ReturnType<typeof win>>]> {
  const [leader, follower] = [await context.leases(), await context.leases()];
  return [leader, follower, await win(context, leader)];
}

const ownNodesWinning = eachElect({
  'LE1/free: a new election has no leader and no term': async (context) => {
    assert.deepEqual(await (await context.leases()).observe(), { lease: null, term: 0 });
  },
  'LE1/won: a free lease is won, and every node sees whose it is': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const candidate = { nodeId: 'node-a', address: 'http://a:1234/x', priority: 7 };
    const request = newCampaign(context.random, { candidate });
    const reply = await store.campaign(request);
    assert.ok(reply.kind === 'won');
    const { nodeId, address, priority, token } = reply.lease;
    assert.deepEqual([{ nodeId, address, priority }, token, reply.forced], [candidate, request.token, null]);
    assert.deepEqual(await glance(other), { lease: lasting(reply.lease), term: reply.lease.term });
  },
  'LE1/held: a lease that is held is not won, and stays as it was': async (context) => {
    const [leader, follower, lease] = await ledBy(context);
    const before = await glance(leader);
    for (const store of [follower, leader]) {
      const reply = await store.campaign(newCampaign(context.random));
      assert.ok(reply.kind === 'held');
      assert.deepEqual([still(reply), await glance(follower)], [{ lease: lasting(lease), term: lease.term }, before]);
    }
  },
  'LE1/held-by-my-id: a restarted node does not win while the lease of its earlier life is held': async (context) => {
    const [, follower, { nodeId, address, priority, token }] = await ledBy(context);
    const candidate = { nodeId, address, priority };
    const reply = await follower.campaign(newCampaign(context.random, { candidate }));
    assert.equal(reply.kind === 'held' && reply.lease.token, token);
  },
  'LE1/adopted: a repeated campaign that had won wins again: one token, one term': async (context) => {
    const [leader, follower] = [await context.leases(), await context.leases()];
    const request = newCampaign(context.random);
    const first = await win(context, leader, request);
    const again = await win(context, follower, request);
    assert.deepEqual([again.token, again.term, again.nodeId], [first.token, first.term, first.nodeId]);
    assert.ok(again.seq > first.seq);
    assert.equal((await leader.renew(first, renewal(first))).kind, 'renewed');
  },
  'LE1/apart: elections of two pools are independent': async (context) => {
    const [here, there] = [await context.leases(), await context.leases({ pool: context.newPool() })];
    const [mine, theirs] = [await win(context, here), await win(context, there)];
    assert.deepEqual(
      [lasting((await here.observe()).lease), lasting((await there.observe()).lease)],
      [lasting(mine), lasting(theirs)],
    );
    await here.release(mine);
    assert.equal((await there.renew(theirs, renewal(theirs))).kind, 'renewed');
  },
  'LE1/racing: of many campaigns at once exactly one wins, and the others see the winner': async (context) => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => context.leases()));
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(
        stores.flatMap((store) => [1, 2, 3, 4, 5].map(() => store.campaign(newCampaign(context.random)))),
      );
      const [winner, ...more] = replies.filter(({ kind }) => kind === 'won');
      assert.ok(winner?.kind === 'won' && more.length === 0);
      const seen = new Set(replies.map((reply) => (reply.kind === 'forgotten' ? '' : reply.lease.token)));
      assert.deepEqual([...seen], [winner.lease.token]);
      await stores[0]?.release(winner.lease);
    }
  },
});

const oneNodeWinning = eachOnElection({
  'LE1/adopted-anew: a repeated campaign that wins again restarts the time of the lease': async (store, context) => {
    const request = newCampaign(context.random, { ttlMs: longTtlMs / 3 });
    const begin = performance.now();
    await store.campaign(request);
    const { remainingMs } = await win(context, store, { ...request, ttlMs: longTtlMs });
    assert.ok(remainingMs === null || remainingMs > longTtlMs - (performance.now() - begin) - 2);
  },
});

const winning: readonly ConformanceCase[] = [...ownNodesWinning, ...oneNodeWinning];

const oneNodeTerms = eachOnElection({
  'LE1/first-term: the first term is the store’s time in seconds': async (store, context) => {
    const before = Math.floor(Date.now() / 1_000);
    const { term } = await win(context, store);
    const after = Math.floor(Date.now() / 1_000);
    assert.ok(Number.isSafeInteger(term));
    assert.ok(
      before - clockSkewSeconds <= term && term <= after + clockSkewSeconds,
      `${term} is not ${before}…${after}`,
    );
  },
  'LE1/term-after-expiry: the term rises over a lease that ran out': async (store, context) => {
    const first = await win(context, store, { ttlMs: shortTtlMs });
    const next = await until('it has run out, and is won', async () => {
      const reply = await store.campaign(newCampaign(context.random));
      return reply.kind === 'won' ? reply.lease : null;
    });
    assert.ok(next.term > first.term);
  },
  'LE1/term-after-release: a release does not change the term': async (store, context) => {
    const lease = await win(context, store);
    await store.release(lease);
    assert.deepEqual(await store.observe(), { lease: null, term: lease.term });
  },
  'LE1/term-after-closing: the term outlives the nodes that were open': async (store, context) => {
    const lease = await win(context, store);
    await store.release(lease);
    const next = await context.leases();
    await store.close();
    assert.ok((await win(context, next)).term > lease.term);
  },
  'LE1/floor: a node that has seen a higher term gets one above it': async (store, context) => {
    const { term, ...first } = await win(context, store);
    await store.release(first);
    const lease = await win(context, store, { floor: term + 1_000, dataLoss: 'accept' });
    assert.equal(lease.term, term + 1_001);
    assert.equal((await store.observe()).term, lease.term);
  },
  'LE1/floor-below: a node that has seen only lower terms does not lower the term': async (store, context) => {
    const { term, ...first } = await win(context, store);
    await store.release(first);
    assert.equal((await win(context, store, { floor: term - 10 })).term, term + 1);
  },
  'LE1/forgotten: a store that lost terms says so, and changes nothing': async (store, context) => {
    const { term, ...first } = await win(context, store);
    await store.release(first);
    const reply = await store.campaign(newCampaign(context.random, { floor: term + 5 }));
    assert.deepEqual(
      [reply, await store.observe()],
      [
        { kind: 'forgotten', term },
        { lease: null, term },
      ],
    );
  },
  'LE1/forgotten-new: a new store counts as one that lost its terms': async (store, context) => {
    const reply = await store.campaign(newCampaign(context.random, { floor: 3 }));
    assert.deepEqual(
      [reply, await store.observe()],
      [
        { kind: 'forgotten', term: 0 },
        { lease: null, term: 0 },
      ],
    );
  },
});

const ownNodesTerms = eachElect({
  'LE1/term-rises: every win has a term above all before, of whichever node': async (context) => {
    const [a, b] = [await context.leases(), await context.leases()];
    const candidate = { nodeId: 'node-a', address: null, priority: 0 };
    let last = 0;
    for (const store of [a, b, b, a]) {
      const lease = await win(context, store, store === a ? { candidate } : {});
      assert.ok(lease.term > last);
      last = lease.term;
      assert.equal((await a.observe()).term, last);
      await store.release(lease);
    }
  },
});

const oneNodeForgetTerms = eachOnElection({
  'LE1/forgotten-all: a store that lost everything gives no term below one that was seen': async (store, context) => {
    const { term } = await win(context, store, { floor: 1_000_000_000_000, dataLoss: 'accept' });
    await context.forget();
    assert.deepEqual(await store.observe(), { lease: null, term: 0 });
    assert.equal((await store.campaign(newCampaign(context.random, { floor: term }))).kind, 'forgotten');
    assert.equal((await win(context, store, { floor: term, dataLoss: 'accept' })).term, term + 1);
  },
}).map(needing('forget'));

const terms: readonly ConformanceCase[] = [...oneNodeTerms, ...ownNodesTerms, ...oneNodeForgetTerms];

const oneNodeSequence = eachOnElection({
  'LE1/seq: every renewal moves seq, and one with a heartbeat moves hbSeq too': async (store, context) => {
    let last = await win(context, store);
    for (const heartbeat of ['beat', 'still', 'still', 'beat'] as const) {
      const next = await renew(store, last, { heartbeat });
      assert.ok(next.seq > last.seq);
      assert.equal(next.hbSeq > last.hbSeq, heartbeat === 'beat');
      assert.equal(next.hbSeq === last.hbSeq, heartbeat === 'still');
      assert.deepEqual(lasting((await store.observe()).lease), lasting(next));
      last = next;
    }
  },
});

const ownNodesSequence = eachElect({
  'LE1/read-only: reading changes nothing': async (context) => {
    const [leader, follower, lease] = await ledBy(context);
    const before = await glance(leader);
    for (let look = 0; look < 5; look++) {
      await follower.observe();
      await follower.members();
    }
    assert.deepEqual(await glance(leader), before);
    assert.equal((await leader.renew(lease, renewal(lease))).kind, 'renewed');
  },
});

const sequence: readonly ConformanceCase[] = [...oneNodeSequence, ...ownNodesSequence];

const ownNodes = eachElect({
  'LE1/reinstated: a leader restores its lease in a store that lost it: same token, same term': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lease = { nodeId: 'node-a', token: uuid(context.random), term: 2_000_000_000 };
    const reply = await store.reinstate(lease, renewal({ ...lease, address: 'here', priority: 3 }));
    assert.ok(reply.kind === 'renewed');
    const { nodeId, token, term, address, priority } = reply.lease;
    assert.deepEqual({ nodeId, token, term, address, priority }, { ...lease, address: 'here', priority: 3 });
    assert.deepEqual(await glance(other), { lease: lasting(reply.lease), term });
    assert.equal((await other.renew(lease, renewal(reply.lease))).kind, 'renewed');
  },
  'LE1/reinstate-held: no lease is restored while another node holds one': async (context) => {
    const [leader, follower, lease] = await ledBy(context);
    const mine = { nodeId: 'node-b', token: uuid(context.random), term: lease.term + 5 };
    const reply = await follower.reinstate(mine, renewal({ ...mine, address: null, priority: 0 }));
    assert.ok(reply.kind === 'lost');
    assert.deepEqual(
      [still(reply), await glance(leader)],
      [
        { lease: lasting(lease), term: lease.term },
        { lease: lasting(lease), term: lease.term },
      ],
    );
  },
});

const oneNodeForget = eachOnElection({
  'LE1/reinstated-after-loss: a leader restores its lease in a store that lost everything': async (store, context) => {
    const lease = await win(context, store);
    await context.forget();
    const lost = await store.renew(lease, renewal(lease));
    assert.deepEqual(lost, { kind: 'lost', lease: null, term: 0 });
    assert.equal((await store.reinstate(lease, renewal(lease))).kind, 'renewed');
    await store.release(lease);
    assert.equal((await win(context, store)).term, lease.term + 1);
  },
}).map(needing('forget'));

const oneNode = eachOnElection({
  'LE1/reinstate-late: no lease is restored if the store has this term or a higher one': async (store, context) => {
    const first = await win(context, store);
    await store.release(first);
    assert.deepEqual(await store.reinstate(first, renewal(first)), { kind: 'lost', lease: null, term: first.term });
    const second = await win(context, store);
    await store.release(second);
    assert.deepEqual(await store.reinstate(first, renewal(first)), { kind: 'lost', lease: null, term: second.term });
  },
});

const reinstating: readonly ConformanceCase[] = [...ownNodes, ...oneNodeForget, ...oneNode];

/** Cases of LE1: winning a lease. */
export const leaseCases: readonly ConformanceCase[] = [...winning, ...terms, ...sequence, ...reinstating];

/** A lease that differs from the held one in one part. */
interface Forgery {
  readonly name: string;
  readonly what: string;
  forge(lease: Lease, random: CaseContext['random']): Partial<Lease>;
}

const byNode: Forgery = { name: 'node', what: 'another node’s id', forge: () => ({ nodeId: 'node-x' }) };
const byToken: Forgery = { name: 'token', what: 'another token', forge: (_, random) => ({ token: uuid(random) }) };
const byTerm: Forgery = { name: 'term', what: 'an earlier term', forge: ({ term }) => ({ term: term - 1 }) };
const byHigherTerm: Forgery = { name: 'higher-term', what: 'a higher term', forge: ({ term }) => ({ term: term + 1 }) };

function refusedRenewal({ name, what, forge }: Forgery): ConformanceCase {
  return mustElect(`LE2/renew-${name}`, `a renewal with ${what} is refused, and moves nothing`, async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lease = await win(context, store);
    const forged = { ...lease, ...forge(lease, context.random) };
    const reply = await other.renew(forged, renewal(forged));
    assert.ok(reply.kind === 'lost');
    const due = { lease: lasting(lease), term: lease.term };
    assert.deepEqual([still(reply), await glance(store)], [due, due]);
  });
}

function refusedRelease({ name, what, forge }: Forgery): ConformanceCase {
  return mustElect(`LE2/release-${name}`, `a release with ${what} releases nothing`, async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const lease = await win(context, store);
    const released = await other.release({ ...lease, ...forge(lease, context.random) });
    assert.deepEqual([released, await glance(store)], [false, { lease: lasting(lease), term: lease.term }]);
  });
}

async function expired(context: CaseContext): Promise<readonly [LeaseStore, HeldLease]> {
  const store = await context.leases();
  const lease = await win(context, store);
  await expire(store, lease);
  return [store, lease];
}

const leaseHoldingOwnNodes = eachElect({
  'LE2/renew-expired: an expired lease is not renewed, even if nobody else has won yet': async (context) => {
    const [store, lease] = await expired(context);
    const due = { lease: null, term: lease.term };
    assert.deepEqual(
      [await store.renew(lease, renewal(lease)), await store.observe()],
      [{ kind: 'lost', ...due }, due],
    );
  },
  'LE2/renew-succeeded: after a successor has won, the old lease is not renewed': async (context) => {
    const [store, lease] = await expired(context);
    const next = await win(context, store);
    const reply = await store.renew(lease, renewal(lease));
    assert.ok(reply.kind === 'lost');
    const due = { lease: lasting(next), term: next.term };
    assert.deepEqual([still(reply), await glance(store)], [due, due]);
  },
  'LE2/release-succeeded: after a successor has won, a release of the old lease has no effect': async (context) => {
    const [store, lease] = await expired(context);
    const next = await win(context, store);
    assert.deepEqual([await store.release(lease), lasting((await store.observe()).lease)], [false, lasting(next)]);
  },
});

const leaseHoldingOneNode = eachOnElection({
  'LE2/renew-released: a lease that was released is not renewed': async (store, context) => {
    const lease = await win(context, store);
    await store.release(lease);
    assert.deepEqual(await store.renew(lease, renewal(lease)), { kind: 'lost', lease: null, term: lease.term });
  },
  'LE2/renew-nothing: a renewal never makes a lease': async (store, context) => {
    const lease = { nodeId: 'node-a', token: uuid(context.random), term: 1 };
    const reply = await store.renew(lease, renewal({ ...lease, address: null, priority: 0 }));
    const due = { lease: null, term: 0 };
    assert.deepEqual([reply, await store.observe()], [{ kind: 'lost', ...due }, due]);
  },
  'LE2/release-nothing: a release while nobody holds the lease has no effect': async (store, context) => {
    assert.equal(await store.release({ nodeId: 'node-a', token: uuid(context.random) }), false);
    const lease = await win(context, store);
    assert.deepEqual([await store.release(lease), await store.release(lease)], [true, false]);
    assert.equal((await store.campaign(newCampaign(context.random))).kind, 'won');
  },
});

/** Cases of LE2: holding a lease. */
export const leaseHoldingCases: readonly ConformanceCase[] = [
  ...[byNode, byToken, byTerm, byHigherTerm].map(refusedRenewal),
  ...[byNode, byToken].map(refusedRelease),
  ...leaseHoldingOwnNodes,
  ...leaseHoldingOneNode,
];

const steps = 200;

/** Cases that compare random steps with a model of one lease. */
export const leaseHistoryCases: readonly ConformanceCase[] = [1, 2, 3].map((n) =>
  mustElect(
    `LE1/random-${n}`,
    `${steps} random steps of four nodes: answers and all that can be read are the model’s, after every step`,
    ({ random, leases, newPool, signal }) => {
      const open = async () => {
        const pool = newPool();
        return [await leases({ pool }), await leases({ pool })] as const;
      };
      return checkLeaseHistory({ seed: random.uint32(), steps, open, signal });
    },
  ),
);
