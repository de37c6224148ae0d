import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { MempoolStore, Tip } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import { type Fault, moment, planted } from './fault.ts';

/** Keeps the tip in a file of its own, written a moment before the block is. */
function tipApart(store: MempoolStore, path: string): Partial<MempoolStore> {
  const file = `${path}.tip`;
  const keep = ({ point, tick }: Tip): void => writeFileSync(file, JSON.stringify({ point, tick }));
  return {
    async confirm(block, policy, options) {
      const { tick } = await store.tip();
      keep({ point: block.point, tick: tick + 1 });
      await moment(block.seen.length + (block.unseen?.length ?? 0));
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
  planted('tip-apart-from-the-data', { plant: (store, { path }) => tipApart(store, path) }),
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
