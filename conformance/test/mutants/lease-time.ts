import type { CampaignRequest, Hint, LeaseStore, Member, StaleLease } from 'mempool-election';
import { type Hall, leased } from './hall.ts';
import type { Mutant } from './mutant.ts';

/** A fault in what is compared before a lease is taken. */
function comparing(
  id: string,
  change: (stale: StaleLease, store: LeaseStore) => StaleLease | null | Promise<StaleLease | null>,
): Mutant {
  return leased(id, (store) => ({
    async campaign(request) {
      const { takeover } = request;
      return store.campaign({ ...request, takeover: takeover && (await change(takeover, store)) });
    },
  }));
}

/** A fault in what is told of members. */
function members(id: string, change: (told: Member[], hall: Hall) => Member[]): Mutant {
  return leased(id, (store, hall) => ({
    members: async () => change(await store.members(), hall),
    heartbeat: async (candidate, ttlMs) => change(await store.heartbeat(candidate, ttlMs), hall),
  }));
}

function hinting(id: string, passes: (hint: Hint) => boolean): Mutant {
  return leased(id, (store) => ({ onHint: (listener) => store.onHint((hint) => passes(hint) && listener(hint)) }));
}

/** Hints by looking, now and then, who holds the lease. */
function glancing(store: LeaseStore, listener: (hint: Hint) => void): () => void {
  let before: string | undefined;
  const glance = async (): Promise<void> => {
    const { lease } = await store.observe();
    if (lease?.token !== before) listener(lease === null ? 'released' : 'acquired');
    before = lease?.token;
  };
  const timer = setInterval(() => void glance().catch(() => clearInterval(timer)), 5);
  return () => clearInterval(timer);
}

const shorter = (ttlMs: number): number => Math.round(ttlMs / 2);
const isAdopting = ({ token }: CampaignRequest, hall: Hall): boolean => hall.last?.token === token;

const times: readonly Mutant[] = [
  leased('runs-out-early', (store) => ({
    campaign: (request) => store.campaign({ ...request, ttlMs: shorter(request.ttlMs) }),
  })),
  leased('renewed-for-less', (store) => ({
    renew: (lease, request) => store.renew(lease, { ...request, ttlMs: shorter(request.ttlMs) }),
  })),
  leased('held-beyond-its-time', (store, hall) => ({
    async campaign(request) {
      const { lease, term } = await store.observe();
      if (lease === null && hall.last !== null && !isAdopting(request, hall))
        return { kind: 'held', lease: hall.last, term };
      return store.campaign(request);
    },
  })),
  leased('remaining-in-seconds', (store) => ({
    async observe() {
      const { lease, term } = await store.observe();
      return { lease: lease && { ...lease, remainingMs: (lease.remainingMs ?? 0) / 1_000 }, term };
    },
  })),
];

const takeovers: readonly Mutant[] = [
  comparing('nothing-taken', () => null),
  comparing('takeover-without-compare', async (_, store) => {
    const { lease } = await store.observe();
    return lease && { token: lease.token };
  }),
  comparing('takeover-by-token-alone', ({ token }) => ({ token })),
  comparing('takeover-whatever-the-token', async ({ token: _, ...stale }, store) => {
    const { lease } = await store.observe();
    return lease && { token: lease.token, ...stale };
  }),
  comparing('beats-taken-for-moves', ({ token, seq, hbSeq }) => {
    const moves = seq ?? hbSeq;
    return moves === undefined ? { token } : { token, seq: moves };
  }),
  comparing('takes-by-number-only', (stale) =>
    stale.seq === undefined && stale.hbSeq === undefined ? { ...stale, seq: -1 } : stale,
  ),
  comparing('beats-not-compared', ({ hbSeq: _, ...stale }) => stale),
  leased('what-is-free-is-told-as-taken', (store) => ({
    async campaign(request) {
      const reply = await store.campaign(request);
      if (reply.kind !== 'won' || request.takeover === null) return reply;
      return { ...reply, forced: reply.forced ?? reply.lease };
    },
  })),
  leased('taken-under-the-same-term', (store) => ({
    async campaign(request) {
      const reply = await store.campaign(request);
      if (reply.kind !== 'won' || reply.forced === null) return reply;
      return { ...reply, lease: { ...reply.lease, term: reply.forced.term } };
    },
  })),
];

const heartbeats: readonly Mutant[] = [
  members('members-without-address', (told) => told.map((member) => ({ ...member, address: null }))),
  leased('members-of-this-node-alone', (store) => {
    const own = new Set<string>();
    const known = (told: Member[]) => told.filter(({ nodeId }) => own.has(nodeId));
    return {
      members: async () => known(await store.members()),
      async heartbeat(candidate, ttlMs) {
        own.add(candidate.nodeId);
        return known(await store.heartbeat(candidate, ttlMs));
      },
    };
  }),
  members('the-leader-is-no-member', (told, { last }) => told.filter(({ nodeId }) => nodeId !== last?.nodeId)),
  leased('first-heartbeat-stays', (store) => ({
    async heartbeat(candidate, ttlMs) {
      const first = (await store.members()).find(({ nodeId }) => nodeId === candidate.nodeId);
      return store.heartbeat({ ...candidate, ...(first && { address: first.address }) }, ttlMs);
    },
  })),
  members('members-for-ever', (told) => told.map((member) => ({ ...member, alive: true }))),
  members('members-gone-soon', (told) => told.map((member) => ({ ...member, alive: member.ageMs < 1_000 }))),
];

const hints: readonly Mutant[] = [
  hinting('no-hint-of-a-win', (hint) => hint !== 'acquired'),
  hinting('no-hint-of-a-release', (hint) => hint !== 'released'),
  leased('what-comes-and-goes-is-no-hint', (store) => ({ onHint: (listener) => glancing(store, listener) })),
  leased('listeners-never-end', (store) => ({
    onHint(listener) {
      store.onHint(listener);
      return () => undefined;
    },
  })),
];

const closing: readonly Mutant[] = [
  leased('open-after-close', () => ({ close: async () => undefined })),
  leased('close-twice-fails', (store) => {
    let closed = false;
    return {
      async close() {
        if (closed) throw new Error('closed already');
        closed = true;
        await store.close();
      },
    };
  }),
  leased('closes-its-neighbours', (_, { nodes }) => ({
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  })),
];

/** LE4, LE5, LE6. */
export const leaseTimeMutants: readonly Mutant[] = [...times, ...takeovers, ...heartbeats, ...hints, ...closing];
