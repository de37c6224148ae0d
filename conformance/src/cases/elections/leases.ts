import assert from 'node:assert/strict';
import type { HeldLease, Lease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection, mustElect, needing } from '../../case/must.ts';
import { checkLeaseHistory } from '../../histories/lease-history.ts';
import { expire, glance, lasting, longTtlMs, newCampaign, renewal, still, uuid, win } from '../../scenario/lease.ts';

const ownNodesWinning = eachElect({
  'LE1/free: a new election has no leader and no term': async (context) => {
    assert.deepEqual(await (await context.leases()).observe(), { lease: null, term: 0 });
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
  'LE1/term-after-closing: the term outlives the nodes that were open': async (store, context) => {
    const lease = await win(context, store);
    await store.release(lease);
    const next = await context.leases();
    await store.close();
    assert.ok((await win(context, next)).term > lease.term);
  },
});

const terms: readonly ConformanceCase[] = [...oneNodeTerms];

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

const reinstating: readonly ConformanceCase[] = [...oneNodeForget];

/** Cases of LE1: winning a lease. */
export const leaseCases: readonly ConformanceCase[] = [...winning, ...terms, ...reinstating];

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
});

/** Cases of LE2: holding a lease. */
export const leaseHoldingCases: readonly ConformanceCase[] = [
  ...[byNode, byToken, byTerm, byHigherTerm].map(refusedRenewal),
  ...[byNode, byToken].map(refusedRelease),
  ...leaseHoldingOwnNodes,
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
