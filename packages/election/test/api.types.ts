// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Leadership as CoreLeadership } from 'mempool-core';
import type { LeaseSource } from 'mempool-core/backend';
import {
  createElection,
  type Election,
  type ElectionEvent,
  ElectionFactory,
  type ElectionProvider,
  inProcessElection,
  isElectionError,
  type Leadership,
  type LeaseStore,
  Leases,
} from 'mempool-election';

export const source: LeaseSource = new Leases();
export const forCore = (leadership: Leadership): CoreLeadership => leadership;

export function elect(): Election {
  // @ts-expect-error a process has a Leases, a URL is another backend's option
  createElection(inProcessElection, { url: 'redis://example.org' });
  // @ts-expect-error durations are numbers
  createElection(inProcessElection, { leases: new Leases(), ttlMs: '10s' });
  return createElection(inProcessElection, { leases: new Leases(), ttlMs: 3_000, staleHeartbeatMs: false });
}

export async function follow(election: Election): Promise<number> {
  election.on('lost', ({ reason, term }) => `${reason satisfies string} ${term}`);
  // @ts-expect-error only a loss has a reason
  election.on('acquired', ({ reason }) => reason);
  // @ts-expect-error there is no such event
  election.on('elected', () => undefined);
  for await (const leader of election.observe()) if (leader !== null) return leader.term;
  return await election.runAsLeader((signal, term, leadership) => {
    leadership.assertValid();
    return signal.aborted ? 0 : term;
  });
}

export function tell(event: ElectionEvent): string {
  switch (event.kind) {
    case 'acquired':
      return event.token;
    case 'lost':
      return event.reason;
    case 'state-changed':
      return event.to;
    case 'leader-changed':
      return event.leader?.nodeId ?? '';
    case 'identity-conflict':
      return event.nodeId;
    case 'takeover-forced':
      return event.from.nodeId;
    case 'election-failed':
      return isElectionError(event.error, 'ERR_ELECTION_UNAVAILABLE') ? event.error.code : '';
  }
}

declare const store: LeaseStore;
export const own: ElectionProvider<{ readonly url: string }> = { type: 'own', open: async () => store };
export const configured: Election = new ElectionFactory()
  .register(inProcessElection)
  .register(own)
  .create({ type: 'own', url: 'own://example.org', ttlMs: 5_000 });
