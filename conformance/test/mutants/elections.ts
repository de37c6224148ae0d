import {
  createElection,
  type Election,
  type ElectionEvent,
  type ElectionEventKind,
  type Leadership,
  Leases,
  systemClock,
} from 'mempool-election';
import { elected, electedWith, electing, over, withLeases } from './lease-operators.ts';
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

/** An election whose leader has something else in hands. */
function leading(election: Election, plant: (whole: Leadership) => Partial<Leadership>): Partial<Election> {
  return {
    get leadership() {
      const whole = election.leadership;
      return whole && over(whole, () => plant(whole));
    },
  };
}

function leadership(id: string, plant: (whole: Leadership) => Partial<Leadership>): Mutant {
  return elected(id, (election) => leading(election, plant));
}

/** True from every win to the loss that is told: what rule 3 forbids. */
function flagged(election: Election, isLoss: (reason: string) => boolean): Partial<Election> {
  let leads = false;
  election.on('acquired', () => {
    leads = true;
  });
  election.on('lost', ({ reason }) => {
    if (isLoss(reason)) leads = false;
  });
  return { isLeader: () => leads };
}

/** Time that is counted from some moment of the last call that was answered, and comes back when a late answer brings more. */
function reckoned(
  id: string,
  since: (call: { readonly sentMs: number; readonly answeredMs: number }) => number,
): Mutant {
  return electing(id, {
    elect(provider, options) {
      const { clock = systemClock, ttlMs = 10_000 } = options;
      let fromMs = 0;
      const timed = async <Reply>(call: () => Promise<Reply>): Promise<Reply> => {
        const sentMs = clock.wallMs();
        const reply = await call();
        fromMs = since({ sentMs, answeredMs: clock.wallMs() });
        return reply;
      };
      const timing = withLeases(provider, (store) => ({
        campaign: (request) => timed(() => store.campaign(request)),
        renew: (lease, request) => timed(() => store.renew(lease, request)),
      }));
      const remainingMs = (): number => Math.max(0, ttlMs * 0.98 - 2 - (clock.wallMs() - fromMs));
      return over(createElection(timing, options), (election) =>
        leading(election, () => ({ remainingMs, isLeader: () => remainingMs() > 0 })),
      );
    },
  });
}

/** Campaigns at once after a loss for this reason. */
function eager(id: string, wanted: string): Mutant {
  return elected(id, (election) => {
    election.on('lost', ({ reason }) => (reason === wanted ? election.campaign() : undefined));
    return {};
  });
}

/** Stands back for a whole ttl after it resigned, whoever has led meanwhile. */
function shy(id: string): Mutant {
  return electing(id, {
    elect(provider, options) {
      let untilMs = 0;
      const waiting = withLeases(provider, (store) => ({
        campaign: (request) =>
          performance.now() < untilMs ? Promise.reject(new Error('not yet')) : store.campaign(request),
      }));
      const election = createElection(waiting, options);
      election.on('lost', ({ reason }) => {
        if (reason === 'resigned') untilMs = performance.now() + (options.ttlMs ?? 10_000);
      });
      return election;
    },
  });
}

function aborted(after: AbortSignal, delayMs: number): AbortSignal {
  const late = new AbortController();
  after.addEventListener('abort', () => setTimeout(() => late.abort(), delayMs));
  return late.signal;
}

const believing: readonly Mutant[] = [
  elected('leading-is-a-flag', (election) => flagged(election, () => true)),
  elected('leads-until-the-store-says-no', (election) => ({
    ...flagged(election, (reason) => reason !== 'expired'),
    on: (kind, listener) =>
      election.on(kind, (event) => {
        const told: ElectionEvent = event;
        if (told.kind !== 'lost' || told.reason !== 'expired') listener(event);
      }),
  })),
  electedWith('one-clock-that-sleeps', {
    options: ({ clock = systemClock, ...options }) => ({
      ...options,
      clock: { ...clock, wallMs: () => clock.monotonicMs() },
    }),
  }),
  electedWith('one-clock-that-is-set', {
    options: ({ clock = systemClock, ...options }) => ({
      ...options,
      clock: { ...clock, monotonicMs: () => clock.wallMs() },
    }),
  }),
  leadership('no-margin', (whole) => ({ remainingMs: () => whole.remainingMs() + 1_202 })),
  leadership('remaining-stands', () => ({ remainingMs: () => 10_000 })),
  leadership('a-lease-of-its-own', ({ lease }) => ({ lease: { ...lease, token: `${lease.token}-own` } })),
  electedWith('never-renews', { leases: () => ({ renew: () => Promise.reject(new Error('no')) }) }),
  reckoned('a-late-answer-brings-it-back', ({ sentMs }) => sentMs),
  reckoned('counts-from-the-answer', ({ answeredMs }) => answeredMs),
];

const handingOver: readonly Mutant[] = [
  electedWith('everybody-alone', { leases: () => new Leases().open('alone') }),
  electedWith('never-releases', { leases: () => ({ release: async () => true }) }),
  elected('resigns-from-nothing', () => ({ resign: async () => undefined })),
  eager('campaigns-once-it-has-resigned', 'resigned'),
  eager('campaigns-once-its-work-stood-still', 'no-progress'),
  shy('stands-back-whoever-led'),
  elected('starts-once', (election) => {
    let started = false;
    return {
      async start() {
        if (started) return;
        started = true;
        await election.start();
      },
    };
  }),
  elected('nobody-sees-the-leader', () => ({ leader: null })),
  elected('always-a-follower', () => ({ state: 'follower' })),
];

const order: readonly Mutant[] = [
  telling('lost-told-late', 'lost', (listener, event) => setTimeout(() => listener(event), 1_500)),
  telling('lost-told-twice', 'lost', (listener, event) => [listener(event), listener(event)]),
  telling('stopped-is-no-loss', 'lost', (listener, event) => {
    if (event.kind !== 'lost' || event.reason !== 'stopped') listener(event);
  }),
  leadership('work-ends-after-the-loss-is-told', ({ signal }) => ({ signal: aborted(signal, 20) })),
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
  elected('deposes-nobody', () => ({ depose: async () => false })),
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
  elected('work-never-ends', (election) => ({
    runAsLeader: (work, options) =>
      election.runAsLeader((_, term, whole) => work(new AbortController().signal, term, whole), options),
  })),
];

const identity: readonly Mutant[] = [
  telling('conflict-not-told', 'identity-conflict', () => undefined),
  telling('conflict-told-twice', 'identity-conflict', (listener, event) => [listener(event), listener(event)]),
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
