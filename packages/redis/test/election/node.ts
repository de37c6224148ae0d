import { randomUUID } from 'node:crypto';
import {
  type CampaignReply,
  type CampaignRequest,
  type Candidate,
  type ElectionErrorCode,
  type HeldLease,
  type Hint,
  isElectionError,
  type Lease,
  type LeaseStore,
  type LeaseStoreOptions,
  type RenewRequest,
  systemClock,
} from 'mempool-election';
import { type RedisElectionOptions, redisElection } from 'mempool-redis';
import { expect, inject, onTestFinished } from 'vitest';

export const ttlMs = 10_000;
/** Longer than a loaded machine is still for. */
export const commandTimeoutMs = 8_000;

type Given = Partial<LeaseStoreOptions> & RedisElectionOptions;

/** A lease store as `Election` opens one, closed after the test. */
export async function openLeases(given: Given): Promise<LeaseStore> {
  const store = await redisElection.open(openOptions(given));
  onTestFinished(() => store.close());
  return store;
}

export function openOptions(given: Given): LeaseStoreOptions & RedisElectionOptions {
  const log: LeaseStoreOptions['log'] = () => undefined;
  return { name: 'watcher', ttlMs, commandTimeoutMs, clock: systemClock, log, ...given };
}

/** A store on the run's server under a prefix of its own. */
export async function freshLeases() {
  const url = inject('redisUrl');
  const pool = randomUUID();
  const key = (name: string) => `{${pool}}:watcher:${name}`;
  return { store: await openLeases({ url, pool }), url, pool, key };
}

export function candidate(nodeId: string): Candidate {
  return { nodeId, address: `${nodeId}.example:3000`, priority: 7 };
}

/** A campaign for what is free; `given` says what is different. */
export function request(nodeId: string, given: Partial<CampaignRequest> = {}): CampaignRequest {
  const free = { ttlMs, floor: 0, dataLoss: 'wait', takeover: null } as const;
  return { candidate: candidate(nodeId), token: `token of ${nodeId}`.replaceAll(' ', '-'), ...free, ...given };
}

export function renewal(nodeId: string, given: Partial<RenewRequest> = {}): RenewRequest {
  return { candidate: candidate(nodeId), ttlMs, heartbeat: 'beat', ...given };
}

/** Campaigns and wins. */
export async function win(store: LeaseStore, nodeId: string, given: Partial<CampaignRequest> = {}): Promise<HeldLease> {
  return wonBy(await store.campaign(request(nodeId, given)));
}

export function wonBy(reply: CampaignReply): HeldLease {
  if (reply.kind !== 'won') throw new Error(`the campaign was not won: ${JSON.stringify(reply)}`);
  return reply.lease;
}

/** What goes with a call that only the leader may make. */
export function leaseOf({ nodeId, token, term }: Lease): Lease {
  return { nodeId, token, term };
}

/** Resolves at the next hint of this kind. */
export function hinted(store: LeaseStore, wanted: Hint): Promise<void> {
  return new Promise((resolve) => {
    const off = store.onHint((hint) => {
      if (hint !== wanted) return;
      off();
      resolve();
    });
  });
}

/** Waits until nobody holds the lease, by looking. */
export async function untilFree(store: LeaseStore): Promise<void> {
  await expect.poll(async () => (await store.observe()).lease, { interval: 5 }).toBeNull();
}

export const fails =
  (code: ElectionErrorCode, field: string | null = null) =>
  (error: unknown) =>
    isElectionError(error, code) && error.field === field;
