import { createElection, type Election, type ElectionEventKind, Leases, systemClock } from 'mempool-election';
import { elected, electedWith, electing, over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';

type Listener = Parameters<Election['on']>[1];
/** Hands an event on, or not. */
type Around = (listener: Listener, event: Parameters<Listener>[0]) => unknown;

/** A fault in who is told of what. */
function telling(id: string, kind: ElectionEventKind, around: Around): Mutant {
  return elected(id, (election) => ({
    on: (wanted, listener) =>
      election.on(wanted, wanted === kind ? (event) => around(listener as Listener, event) : listener),
  }));
}

/** Campaigns at once after a loss for this reason. */
function eager(id: string, wanted: string): Mutant {
  return elected(id, (election) => {
    election.on('lost', ({ reason }) => (reason === wanted ? election.campaign() : undefined));
    return {};
  });
}

const believing: readonly Mutant[] = [
  electedWith('one-clock-that-is-set', {
    options: ({ clock = systemClock, ...options }) => ({
      ...options,
      clock: { ...clock, monotonicMs: () => clock.wallMs() },
    }),
  }),
];

const handingOver: readonly Mutant[] = [
  electedWith('everybody-alone', { leases: () => new Leases().open('alone') }),
  electedWith('never-releases', { leases: () => ({ release: async () => true }) }),
  elected('resigns-from-nothing', () => ({ resign: async () => undefined })),
  eager('campaigns-once-its-work-stood-still', 'no-progress'),
  elected('always-a-follower', () => ({ state: 'follower' })),
];

const order: readonly Mutant[] = [
  telling('lost-told-late', 'lost', (listener, event) => setTimeout(() => listener(event), 1_500)),
  electedWith('stays-whatever-the-store-says', {
    leases: (store) => ({
      async renew(given, request) {
        const reply = await store.renew(given, request);
        if (reply.kind === 'renewed') return reply;
        const { nodeId: _, ...told } = request.candidate;
        return { kind: 'renewed', lease: { ...given, ...told, seq: 1, hbSeq: 1, remainingMs: request.ttlMs } };
      },
    }),
  }),
  elected('deposes-whoever-leads', (election) => ({
    depose: (term) => election.depose(election.leader?.term ?? term),
  })),
  elected('deposes-without-being-asked', (election) => {
    const impatient = election.on('leader-changed', ({ leader }) => {
      if (leader === null || leader.nodeId === election.id) return;
      impatient();
      setTimeout(() => void election.depose(leader.term).catch(() => false), 400);
    });
    return {};
  }),
];

const identity: readonly Mutant[] = [
  elected('conflict-at-first-sight', (election) => ({
    on(kind, listener) {
      if (kind === 'identity-conflict')
        election.on('leader-changed', ({ leader, term }) => {
          const event = { kind: 'identity-conflict', term, nodeId: election.id } as const;
          if (leader?.nodeId === election.id && !election.isLeader()) (listener as Listener)(event);
        });
      return election.on(kind, listener);
    },
  })),
  electing('two-of-one-id', {
    elect(provider, options) {
      const election = createElection(provider, options);
      return over(election, () => ({ isLeader: () => election.isLeader() || election.leader?.nodeId === election.id }));
    },
  }),
];

/** LE3, LE6, LE7, LE8. */
export const electionMutants: readonly Mutant[] = [...believing, ...handingOver, ...order, ...identity];
