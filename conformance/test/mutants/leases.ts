import type {
  CampaignReply,
  CampaignRequest,
  HeldLease,
  Hint,
  Lease,
  LeaseStore,
  Member,
  RenewReply,
  StaleLease,
} from 'mempool-election';
import { electing, leases } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';

type Seen = { readonly lease: HeldLease | null; readonly term: number };
type Asking = (request: CampaignRequest, seen: Seen, store: LeaseStore) => object | null | Promise<object | null>;

/** What a campaign asks for changed, by what is seen of the lease before it; or a reply in place of it. */
function campaigning(id: string, change: Asking): Mutant {
  return leases.around(id, {
    campaign: async ({ whole, given: [request] }) => {
      const made = await change(request, await whole.observe(), whole);
      return made !== null && 'kind' in made ? made : whole.campaign({ ...request, ...made });
    },
  });
}

/** Campaigns as if it had seen the lease that is held, whoever holds it. */
async function taking(request: CampaignRequest, lease: HeldLease | null, store: LeaseStore): Promise<CampaignReply> {
  const takeover = lease && { token: lease.token };
  const reply = await store.campaign({ ...request, takeover });
  return reply.kind === 'won' ? { ...reply, forced: request.takeover === null ? null : reply.forced } : reply;
}

/** Renews, or releases, the lease that is held where `passes` says so, whatever the caller has. */
function ifHeld(verb: 'renew' | 'release', id: string, passes: (given: Lease, held: Lease) => boolean): Mutant {
  return leases.given(id, {
    [verb]: async (given: Lease, { whole }: { readonly whole: LeaseStore }) => {
      const { lease: held } = await whole.observe();
      return held !== null && passes(given, held) && held;
    },
  });
}

/** Makes a lease where there is none, and tells it as the one that was asked for. */
async function madeUp(store: LeaseStore, given: Lease, candidate: CampaignRequest['candidate']): Promise<RenewReply> {
  const { token, term } = given;
  const reply = await store.campaign({ candidate, token, ttlMs: 60_000, floor: 0, dataLoss: 'accept', takeover: null });
  if (reply.kind === 'won') return { kind: 'renewed', lease: { ...reply.lease, term } };
  return { kind: 'lost', ...(await store.observe()) };
}

const isGone = (reply: RenewReply): boolean => reply.kind === 'lost' && reply.lease === null;

const winning: readonly Mutant[] = [
  leases.told('begins-with-a-term', { observe: ({ term }) => ({ term: Math.max(1, term) }) }),
  campaigning('adopted-without-renewal', ({ token }, { lease }) =>
    lease?.token === token ? { kind: 'won', lease: { ...lease, seq: lease.seq + 1 }, forced: null } : null,
  ),
  electing('one-election-for-all', { hallOf: () => 'all' }),
  campaigning('looks-then-campaigns', async (request, seen, store) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const isFree = seen.lease === null || seen.lease.token === request.token || request.takeover !== null;
    return isFree ? taking(request, (await store.observe()).lease, store) : { kind: 'held', ...seen };
  }),
];

const terms: readonly Mutant[] = [
  electing('terms-from-one', { clock: { wallMs: () => 0 } }),
  leases.told('term-ends-with-a-node', { close: (_, { hall }) => void hall.forget() }),
];

const holding: readonly Mutant[] = [
  ...(['beat', 'still'] as const).map((heartbeat) =>
    leases.around(heartbeat === 'beat' ? 'beats-when-still' : 'never-beats', {
      renew: ({ whole, given: [lease, request] }) => whole.renew(lease, { ...request, heartbeat }),
    }),
  ),
  ifHeld('renew', 'renewal-without-owner-check', () => true),
  ifHeld('renew', 'renewal-by-token-alone', (given, { token }) => given.token === token),
  ifHeld('renew', 'renewal-by-node-alone', (given, { nodeId }) => given.nodeId === nodeId),
  ifHeld('renew', 'renewal-whatever-the-node', (given, held) => given.token === held.token && given.term === held.term),
  ifHeld(
    'renew',
    'renewal-whatever-the-token',
    (given, held) => given.nodeId === held.nodeId && given.term === held.term,
  ),
  ifHeld('renew', 'renewal-by-an-older-term', (given, held) => given.token === held.token && given.term < held.term),
  ifHeld('renew', 'renewal-by-a-later-term', (given, held) => given.nodeId === held.nodeId && given.term > held.term),
  leases.told('renews-what-ran-out', {
    renew: (reply, { whole, hall, given: [given, { candidate }] }) =>
      isGone(reply) && hall.last?.token === given.token && madeUp(whole, given, candidate),
  }),
  ifHeld('release', 'release-by-token-alone', (given, { token }) => given.token === token),
  ifHeld('release', 'release-by-node-alone', (given, { nodeId }) => given.nodeId === nodeId),
  leases.around('release-does-nothing', { release: async () => true }),
  leases.plant('release-from-its-own-node-alone', (store) => {
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

const reinstating: readonly Mutant[] = [];

/** LE1, LE2. */
export const leaseMutants: readonly Mutant[] = [...winning, ...terms, ...holding, ...reinstating];

/** A fault in what is compared before a lease is taken. */
function comparing(
  id: string,
  change: (stale: StaleLease, store: LeaseStore) => StaleLease | null | Promise<StaleLease | null>,
): Mutant {
  return leases.given(id, {
    campaign: async ({ takeover }, { whole }) => ({ takeover: takeover && (await change(takeover, whole)) }),
  });
}

/** A fault in what is told of each member. */
function members(id: string, change: (told: Member) => object): Mutant {
  return leases.each(id, { members: change, heartbeat: change });
}

function hinting(id: string, passes: (hint: Hint) => boolean): Mutant {
  return leases.around(id, {
    onHint: ({ whole, given: [listener] }) => whole.onHint((hint) => passes(hint) && listener(hint)),
  });
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

const times: readonly Mutant[] = [
  leases.given('runs-out-early', { campaign: ({ ttlMs }) => ({ ttlMs: shorter(ttlMs) }) }),
  leases.around('renewed-for-less', {
    renew: ({ whole, given: [lease, request] }) => whole.renew(lease, { ...request, ttlMs: shorter(request.ttlMs) }),
  }),
  leases.told('remaining-in-seconds', {
    observe: ({ lease }) => lease && { lease: { ...lease, remainingMs: (lease.remainingMs ?? 0) / 1_000 } },
  }),
];

const takeovers: readonly Mutant[] = [
  comparing('beats-taken-for-moves', ({ token, seq, hbSeq }) => {
    const moves = seq ?? hbSeq;
    return moves === undefined ? { token } : { token, seq: moves };
  }),
  comparing('takes-by-number-only', (stale) =>
    stale.seq === undefined && stale.hbSeq === undefined ? { ...stale, seq: -1 } : stale,
  ),
  comparing('beats-not-compared', ({ hbSeq: _, ...stale }) => stale),
];

const heartbeats: readonly Mutant[] = [
  members('members-without-address', () => ({ address: null })),
  leases.around('members-of-this-node-alone', {
    members: async ({ whole, notes: { hashes } }) => (await whole.members()).filter(({ nodeId }) => hashes.has(nodeId)),
    heartbeat: async ({ whole, given, notes: { hashes } }) => {
      hashes.add(given[0].nodeId);
      return (await whole.heartbeat(...given)).filter(({ nodeId }) => hashes.has(nodeId));
    },
  }),
  leases.given('first-heartbeat-stays', {
    heartbeat: async ({ nodeId }, { whole }) => {
      const first = (await whole.members()).find((member) => member.nodeId === nodeId);
      return first && { address: first.address };
    },
  }),
  members('members-for-ever', () => ({ alive: true })),
  members('members-gone-soon', ({ ageMs }) => ({ alive: ageMs < 1_000 })),
];

const hints: readonly Mutant[] = [
  hinting('no-hint-of-a-win', (hint) => hint !== 'acquired'),
  hinting('no-hint-of-a-release', (hint) => hint !== 'released'),
  leases.around('what-comes-and-goes-is-no-hint', {
    onHint: ({ whole, given: [listener] }) => glancing(whole, listener),
  }),
  leases.told('listeners-never-end', { onHint: () => () => undefined }),
];

const closing: readonly Mutant[] = [
  leases.around('open-after-close', { close: async () => undefined }),
  leases.around('close-twice-fails', {
    close: async ({ whole, notes }) => {
      notes.count += 1;
      if (notes.count > 1) throw new Error('closed already');
      await whole.close();
    },
  }),
  leases.around('closes-its-neighbours', {
    close: async ({ hall: { nodes } }) => void (await Promise.all(nodes.map((node) => node.close()))),
  }),
];

/** LE4, LE5, LE6. */
export const leaseTimeMutants: readonly Mutant[] = [...times, ...takeovers, ...heartbeats, ...hints, ...closing];
