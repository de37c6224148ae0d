import assert from 'node:assert/strict';
import type { HeldLease, Lease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection, mustElect } from '../../case/must.ts';
import { expire, glance, lasting, newCampaign, renewal, still, uuid, win } from '../../scenario/lease.ts';

/** A lease that is not the one held, though much of it is. */
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
  return mustElect(`LE2/release-${name}`, `a release with ${what} ends nothing`, async (context) => {
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

const ownNodes = eachElect({
  'LE2/renew-expired: a lease out of its time is not renewed, though nobody else has it yet': async (context) => {
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
  'LE2/release-succeeded: after a successor has won, releasing the old lease ends nothing': async (context) => {
    const [store, lease] = await expired(context);
    const next = await win(context, store);
    assert.deepEqual([await store.release(lease), lasting((await store.observe()).lease)], [false, lasting(next)]);
  },
});

const oneNode = eachOnElection({
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
  'LE2/release-nothing: a release where nobody holds the lease did nothing': async (store, context) => {
    assert.equal(await store.release({ nodeId: 'node-a', token: uuid(context.random) }), false);
    const lease = await win(context, store);
    assert.deepEqual([await store.release(lease), await store.release(lease)], [true, false]);
    assert.equal((await store.campaign(newCampaign(context.random))).kind, 'won');
  },
});

/** LE2. */
export const leaseHoldingCases: readonly ConformanceCase[] = [
  ...[byNode, byToken, byTerm, byHigherTerm].map(refusedRenewal),
  ...[byNode, byToken].map(refusedRelease),
  ...ownNodes,
  ...oneNode,
];
