import type { CampaignReply, CampaignRequest, HeldLease, Lease, LeaseStore, RenewReply } from 'mempool-election';
import { electing, type Hall, leased } from './hall.ts';
import type { Mutant } from './mutant.ts';

type Campaign = LeaseStore['campaign'];

/** A fault in how a campaign is made, or answered. */
function campaigning(id: string, change: (campaign: Campaign, store: LeaseStore, hall: Hall) => Campaign): Mutant {
  return leased(id, (store, hall) => ({ campaign: change(store.campaign, store, hall) }));
}

function asked(id: string, change: (request: CampaignRequest) => CampaignRequest): Mutant {
  return campaigning(id, (campaign) => (request) => campaign(change(request)));
}

/** Campaigns as if it had seen the lease that is held, whoever holds it. */
async function taking(campaign: Campaign, store: LeaseStore, request: CampaignRequest): Promise<CampaignReply> {
  const { lease } = await store.observe();
  const takeover = lease && { token: lease.token };
  const reply = await campaign({ ...request, takeover });
  return reply.kind === 'won' ? { ...reply, forced: request.takeover === null ? null : reply.forced } : reply;
}

/** Every lease that is told, in any answer. */
function toldAs(id: string, change: (lease: HeldLease) => HeldLease): Mutant {
  const changed = (lease: HeldLease | null): HeldLease | null => lease && change(lease);
  return leased(id, (store) => ({
    async campaign(request) {
      const reply = await store.campaign(request);
      return reply.kind === 'forgotten' ? reply : { ...reply, lease: change(reply.lease) };
    },
    async renew(lease, request) {
      const reply = await store.renew(lease, request);
      return reply.kind === 'renewed' ? { ...reply, lease: change(reply.lease) } : reply;
    },
    async observe() {
      const { lease, term } = await store.observe();
      return { lease: changed(lease), term };
    },
  }));
}

/** Renews the lease that is held where `passes` says so, whatever the caller has. */
function renewsIf(id: string, passes: (given: Lease, held: Lease) => boolean): Mutant {
  return leased(id, (store) => ({
    async renew(given, request) {
      const { lease: held } = await store.observe();
      return store.renew(held !== null && passes(given, held) ? held : given, request);
    },
  }));
}

function releasesIf(id: string, passes: (given: Pick<Lease, 'nodeId' | 'token'>, held: Lease) => boolean): Mutant {
  return leased(id, (store) => ({
    async release(given) {
      const { lease: held } = await store.observe();
      return store.release(held !== null && passes(given, held) ? held : given);
    },
  }));
}

/** Makes a lease where there is none, and tells it as the one that was asked for. */
async function madeUp(store: LeaseStore, given: Lease, candidate: CampaignRequest['candidate']): Promise<RenewReply> {
  const { token, term } = given;
  const reply = await store.campaign({ candidate, token, ttlMs: 60_000, floor: 0, dataLoss: 'accept', takeover: null });
  if (reply.kind === 'won') return { kind: 'renewed', lease: { ...reply.lease, term } };
  return { kind: 'lost', ...(await store.observe()) };
}

const winning: readonly Mutant[] = [
  leased('begins-with-a-term', (store) => ({
    async observe() {
      const { lease, term } = await store.observe();
      return { lease, term: Math.max(1, term) };
    },
  })),
  toldAs('address-lost', (lease) => ({ ...lease, address: null })),
  toldAs('priority-lost', (lease) => ({ ...lease, priority: 0 })),
  campaigning('held-lease-won', (campaign, store) => (request) => taking(campaign, store, request)),
  campaigning('own-id-wins', (campaign, store) => async (request) => {
    const { lease } = await store.observe();
    const own = lease !== null && lease.nodeId === request.candidate.nodeId && lease.token !== request.token;
    return own ? taking(campaign, store, request) : campaign(request);
  }),
  campaigning('nothing-adopted', (campaign, store) => async (request) => {
    const { lease, term } = await store.observe();
    return lease?.token === request.token ? { kind: 'held', lease, term } : campaign(request);
  }),
  campaigning('adopted-without-renewal', (campaign, store) => async (request) => {
    const { lease } = await store.observe();
    if (lease?.token !== request.token) return campaign(request);
    return { kind: 'won', lease: { ...lease, seq: lease.seq + 1 }, forced: null };
  }),
  campaigning('adopted-under-a-new-term', (campaign, store) => async (request) => {
    const { lease } = await store.observe();
    if (lease?.token === request.token) await store.release(lease);
    return campaign(request);
  }),
  electing('one-election-for-all', { hallOf: () => 'all' }),
  campaigning('looks-then-campaigns', (campaign, store) => async (request) => {
    const { lease, term } = await store.observe();
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (lease === null || lease.token === request.token || request.takeover !== null)
      return taking(campaign, store, request);
    return { kind: 'held', lease, term };
  }),
];

const terms: readonly Mutant[] = [
  leased('terms-from-one', () => ({}), { wallMs: () => 0 }),
  leased('terms-in-milliseconds', () => ({}), { wallMs: () => Date.now() * 1_000 }),
  leased('term-begins-anew-after-release', (store, hall) => ({
    async release(holder) {
      const released = await store.release(holder);
      if (released) hall.forget();
      return released;
    },
  })),
  campaigning('term-begins-anew-after-expiry', (campaign, store, hall) => async (request) => {
    const { lease } = await store.observe();
    if (lease === null && hall.last !== null) hall.forget();
    return campaign(request);
  }),
  leased('term-ends-with-a-node', (store, hall) => ({
    async close() {
      await store.close();
      hall.forget();
    },
  })),
  leased('term-told-of-the-holder-alone', (store) => ({
    async observe() {
      const { lease } = await store.observe();
      return { lease, term: lease?.term ?? 0 };
    },
  })),
  asked('floor-ignored', (request) => ({ ...request, floor: 0 })),
  campaigning('two-terms-at-a-time', (campaign, store) => async (request) => {
    const { term } = await store.observe();
    return campaign({ ...request, floor: Math.max(request.floor, term === 0 ? 0 : term + 1), dataLoss: 'accept' });
  }),
  asked('loss-always-accepted', (request) => ({ ...request, dataLoss: 'accept' })),
  campaigning('loss-noticed-by-the-new-alone', (campaign, store) => async (request) => {
    const { term } = await store.observe();
    return campaign({ ...request, dataLoss: term === 0 ? request.dataLoss : 'accept' });
  }),
  campaigning('loss-not-noticed-by-the-new', (campaign, store) => async (request) => {
    const { term } = await store.observe();
    return campaign({ ...request, dataLoss: term === 0 ? 'accept' : request.dataLoss });
  }),
];

const holding: readonly Mutant[] = [
  leased('beats-when-still', (store) => ({
    renew: (lease, request) => store.renew(lease, { ...request, heartbeat: 'beat' }),
  })),
  leased('never-beats', (store) => ({
    renew: (lease, request) => store.renew(lease, { ...request, heartbeat: 'still' }),
  })),
  toldAs('seq-stands', (lease) => ({ ...lease, seq: 1 })),
  leased('looking-renews', (store) => ({
    async observe() {
      const { lease } = await store.observe();
      const { nodeId = '', address = null, priority = 0 } = lease ?? {};
      const request = { candidate: { nodeId, address, priority }, ttlMs: 60_000, heartbeat: 'still' } as const;
      if (lease !== null) await store.renew(lease, request);
      return store.observe();
    },
  })),
  renewsIf('renewal-without-owner-check', () => true),
  renewsIf('renewal-by-token-alone', (given, { token }) => given.token === token),
  renewsIf('renewal-by-node-alone', (given, { nodeId }) => given.nodeId === nodeId),
  renewsIf('renewal-whatever-the-node', (given, { token, term }) => given.token === token && given.term === term),
  renewsIf('renewal-whatever-the-token', (given, { nodeId, term }) => given.nodeId === nodeId && given.term === term),
  renewsIf('renewal-by-an-older-term', (given, held) => given.token === held.token && given.term < held.term),
  renewsIf('renewal-by-a-later-term', (given, held) => given.nodeId === held.nodeId && given.term > held.term),
  leased('renewal-makes-a-lease', (store) => ({
    async renew(given, request) {
      const reply = await store.renew(given, request);
      return reply.kind === 'lost' && reply.lease === null ? madeUp(store, given, request.candidate) : reply;
    },
  })),
  leased('renews-what-ran-out', (store, hall) => ({
    async renew(given, request) {
      const reply = await store.renew(given, request);
      const ranOut = reply.kind === 'lost' && reply.lease === null && hall.last?.token === given.token;
      return ranOut ? madeUp(store, given, request.candidate) : reply;
    },
  })),
  leased('renews-what-was-lost-by-telling-so', (store) => ({
    async renew(given, request) {
      const reply = await store.renew(given, request);
      const superseded = reply.kind === 'lost' && reply.lease !== null && reply.term > given.term;
      return superseded && reply.lease ? { kind: 'renewed', lease: { ...reply.lease, ...given } } : reply;
    },
  })),
  releasesIf('release-without-owner-check', () => true),
  releasesIf('release-by-token-alone', (given, { token }) => given.token === token),
  releasesIf('release-by-node-alone', (given, { nodeId }) => given.nodeId === nodeId),
  leased('release-always-says-yes', (store) => ({
    async release(holder) {
      await store.release(holder);
      return true;
    },
  })),
  leased('release-does-nothing', () => ({ release: async () => true })),
  leased('release-from-its-own-node-alone', (store) => {
    const won = new Set<string>();
    return {
      async campaign(request) {
        const reply = await store.campaign(request);
        if (reply.kind === 'won') won.add(request.token);
        return reply;
      },
      release: async (holder) => won.has(holder.token) && store.release(holder),
    };
  }),
];

const reinstating: readonly Mutant[] = [
  leased('nothing-reinstated', (store) => ({
    reinstate: async () => ({ kind: 'lost', ...(await store.observe()) }),
  })),
  leased('reinstated-under-a-new-token', (store) => ({
    reinstate: (lease, request) => store.reinstate({ ...lease, token: `${lease.token}-new` }, request),
  })),
  leased('reinstates-over-another', (store) => ({
    async reinstate(lease, request) {
      const { lease: held } = await store.observe();
      if (held !== null) await store.release(held);
      return store.reinstate(lease, request);
    },
  })),
  leased('reinstates-any-term', (store) => ({
    async reinstate(lease, request) {
      const reply = await store.reinstate(lease, request);
      return reply.kind === 'lost' && reply.lease === null ? madeUp(store, lease, request.candidate) : reply;
    },
  })),
  leased('reinstates-the-same-term', (store) => ({
    async reinstate(lease, request) {
      const { lease: held, term } = await store.observe();
      return held === null && term === lease.term
        ? madeUp(store, lease, request.candidate)
        : store.reinstate(lease, request);
    },
  })),
];

/** LE1, LE2. */
export const leaseMutants: readonly Mutant[] = [...winning, ...terms, ...holding, ...reinstating];
