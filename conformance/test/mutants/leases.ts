import type { CampaignRequest, Hint, Lease, LeaseStore, Member, RenewReply, StaleLease } from 'mempool-election';
import { electing, leases } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';

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
  electing('one-election-for-all', { hallOf: () => 'all' }),
];

const terms: readonly Mutant[] = [electing('terms-from-one', { clock: { wallMs: () => 0 } })];

const holding: readonly Mutant[] = [
  ifHeld('renew', 'renewal-without-owner-check', () => true),
  leases.told('renews-what-ran-out', {
    renew: (reply, { whole, hall, given: [given, { candidate }] }) =>
      isGone(reply) && hall.last?.token === given.token && madeUp(whole, given, candidate),
  }),
  ifHeld('release', 'release-by-token-alone', (given, { token }) => given.token === token),
  ifHeld('release', 'release-by-node-alone', (given, { nodeId }) => given.nodeId === nodeId),
  leases.around('release-does-nothing', { release: async () => true }),
];

/** LE1, LE2. */
export const leaseMutants: readonly Mutant[] = [...winning, ...terms, ...holding];

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

const shorter = (ttlMs: number): number => Math.round(ttlMs / 2);

const times: readonly Mutant[] = [
  leases.given('runs-out-early', { campaign: ({ ttlMs }) => ({ ttlMs: shorter(ttlMs) }) }),
  leases.around('renewed-for-less', {
    renew: ({ whole, given: [lease, request] }) => whole.renew(lease, { ...request, ttlMs: shorter(request.ttlMs) }),
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
  members('members-gone-soon', ({ ageMs }) => ({ alive: ageMs < 1_000 })),
];

const hints: readonly Mutant[] = [
  hinting('no-hint-of-a-win', (hint) => hint !== 'acquired'),
  hinting('no-hint-of-a-release', (hint) => hint !== 'released'),
];

const closing: readonly Mutant[] = [
  leases.around('open-after-close', { close: async () => undefined }),
  leases.around('closes-its-neighbours', {
    close: async ({ hall: { nodes } }) => void (await Promise.all(nodes.map((node) => node.close()))),
  }),
];

/** LE4, LE5, LE6. */
export const leaseTimeMutants: readonly Mutant[] = [...times, ...takeovers, ...heartbeats, ...hints, ...closing];
