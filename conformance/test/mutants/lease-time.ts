import type { Hint, LeaseStore, Member, StaleLease } from 'mempool-election';
import { leases } from './hall.ts';
import type { Mutant } from './mutant.ts';

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
  leases.instead('held-beyond-its-time', {
    campaign: async ({ whole, hall: { last }, given: [{ token }] }) => {
      const { lease, term } = await whole.observe();
      return lease === null && last !== null && last.token !== token && { kind: 'held', lease: last, term };
    },
  }),
  leases.told('remaining-in-seconds', {
    observe: ({ lease }) => lease && { lease: { ...lease, remainingMs: (lease.remainingMs ?? 0) / 1_000 } },
  }),
];

const takeovers: readonly Mutant[] = [
  comparing('nothing-taken', () => null),
  comparing('takeover-without-compare', async (_, store) => {
    const { lease } = await store.observe();
    return lease && { token: lease.token };
  }),
  comparing('takeover-by-token-alone', ({ token }) => ({ token })),
  comparing('takeover-whatever-the-token', async (stale, store) => {
    const { lease } = await store.observe();
    return lease && { ...stale, token: lease.token };
  }),
  comparing('beats-taken-for-moves', ({ token, seq, hbSeq }) => {
    const moves = seq ?? hbSeq;
    return moves === undefined ? { token } : { token, seq: moves };
  }),
  comparing('takes-by-number-only', (stale) =>
    stale.seq === undefined && stale.hbSeq === undefined ? { ...stale, seq: -1 } : stale,
  ),
  comparing('beats-not-compared', ({ hbSeq: _, ...stale }) => stale),
  leases.told('what-is-free-is-told-as-taken', {
    campaign: (reply, { given: [{ takeover }] }) =>
      reply.kind === 'won' && takeover !== null && { forced: reply.forced ?? reply.lease },
  }),
  leases.told('taken-under-the-same-term', {
    campaign: (reply) => reply.kind === 'won' && reply.forced && { lease: { ...reply.lease, term: reply.forced.term } },
  }),
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
  leases.only('the-leader-is-no-member', {
    members: ({ nodeId }, { hall }) => nodeId !== hall.last?.nodeId,
    heartbeat: ({ nodeId }, { hall }) => nodeId !== hall.last?.nodeId,
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
