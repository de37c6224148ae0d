import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { MempoolStore, Tip } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import { type Fault, moment } from './fault.ts';

/** Keeps the tip in a file of its own, written a moment before the block is. */
function tipApart(store: MempoolStore, path: string): Partial<MempoolStore> {
  const file = `${path}.tip`;
  const keep = ({ point, tick }: Tip): void => writeFileSync(file, JSON.stringify({ point, tick }));
  return {
    async confirm(block, policy, options) {
      const { tick } = await store.tip();
      keep({ point: block.point, tick: tick + 1 });
      await moment();
      const outcome = await store.confirm(block, policy, options);
      keep(outcome.tip);
      return outcome;
    },
    async rollback(point, options) {
      const outcome = await store.rollback(point, options);
      keep(outcome.tip);
      return outcome;
    },
    async tip(options) {
      const tip = await store.tip(options);
      const kept: Tip = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { point: null, tick: 0 };
      return { ...tip, ...kept };
    },
  };
}

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
  {
    id: 'tip-apart-from-the-data',
    kills: ['X1/killed-confirming', 'X4/killed-follower'],
    plant: (store, { path }) => tipApart(store, path),
  },
  {
    id: 'every-process-elects-alone',
    kills: ['LE6/racing-processes', 'LE6/seen-by-a-process'],
    path: (path) => `${path}-${randomUUID()}`,
  },
  {
    id: 'a-lease-of-the-dead-for-ever',
    kills: ['LE6/killed'],
    hangs: ['LE6/killed'],
    leases: (store, { path }) => ({ campaign: (request) => neverFree(store, path, request) }),
  },
  {
    id: 'leases-leave-a-timer-behind',
    kills: ['LE6/process-ends'],
    hangs: ['LE6/process-ends'],
    leases(store) {
      setInterval(() => undefined, 1_000);
      return { close: () => store.close() };
    },
  },
];
