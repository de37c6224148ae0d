import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { LeaseStore } from 'mempool-election';
import { type Fault, planted } from './fault.ts';

/** Never gives back what the file says is held. */
async function neverFree(store: LeaseStore, path: string, request: Parameters<LeaseStore['campaign']>[0]) {
  const file = `${path}.held`;
  if (existsSync(file)) {
    const { lease, term } = JSON.parse(readFileSync(file, 'utf8'));
    if (lease.token !== request.token) return { kind: 'held', lease, term } as const;
  }
  const reply = await store.campaign(request);
  if (reply.kind === 'won') writeFileSync(file, JSON.stringify({ lease: reply.lease, term: reply.lease.term }));
  return reply;
}

/** Faults that a kill shows, or another process. */
export const electionFaults: readonly Fault[] = [
  planted('every-process-elects-alone', { path: (path) => `${path}-${randomUUID()}` }),
  planted('a-lease-of-the-dead-for-ever', {
    leases: (store, { path }) => ({ campaign: (request) => neverFree(store, path, request) }),
  }),
  planted('leases-leave-a-timer-behind', {
    leases(store) {
      setInterval(() => undefined, 1_000);
      return { close: () => store.close() };
    },
  }),
];
