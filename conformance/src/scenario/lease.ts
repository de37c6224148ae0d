import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRequest, Candidate, HeldLease, LeaseStore, Observation, RenewRequest } from 'mempool-election';
import type { CaseContext } from '../case/case.ts';
import type { Random } from '../case/random.ts';

/** Nothing expires while a case runs. */
export const longTtlMs = 60_000;
/** Expires soon. Assertions about it must hold however late they look. */
const shortTtlMs = 40;

/** How long a condition may take to become true, and how often it is checked. */
const conditionMs = 8_000;
const lookMs = 4;

/** The first value that is not `null`. @throws AssertionError if there is none in time */
export async function until<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T> {
  const end = performance.now() + conditionMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    assert.ok(performance.now() < end, `not within ${conditionMs} ms: ${what}`);
    await delay(lookMs);
  }
}

/** Waits until the condition holds. */
export async function untilTrue(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, async () => ((await holds()) ? true : null));
}

export function uuid(random: Random): string {
  return random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function newCandidate(random: Random): Candidate {
  return { nodeId: `node-${random.hex(6)}`, address: null, priority: 0 };
}

/** The campaign of a new node, for a lease that lasts. */
export function newCampaign(random: Random, more: Partial<CampaignRequest> = {}): CampaignRequest {
  const candidate = newCandidate(random);
  return { candidate, token: uuid(random), ttlMs: longTtlMs, floor: 0, dataLoss: 'wait', takeover: null, ...more };
}

/** Campaigns as a new node, with `more` over the defaults, and must win. */
export async function win(
  { random }: CaseContext,
  store: LeaseStore,
  more: Partial<CampaignRequest> = {},
): Promise<HeldLease> {
  const reply = await store.campaign(newCampaign(random, more));
  if (reply.kind !== 'won') assert.fail(`a free lease was not won: ${JSON.stringify(reply)}`);
  return reply.lease;
}

/** A renewal by the holder of the lease. */
export function renewal(
  { nodeId, address, priority }: Pick<HeldLease, 'nodeId' | 'address' | 'priority'>,
  more: Partial<RenewRequest> = {},
): RenewRequest {
  return { candidate: { nodeId, address, priority }, ttlMs: longTtlMs, heartbeat: 'beat', ...more };
}

/** Renews, and must not be refused. */
export async function renew(store: LeaseStore, lease: HeldLease, more: Partial<RenewRequest> = {}): Promise<HeldLease> {
  const reply = await store.renew(lease, renewal(lease, more));
  if (reply.kind !== 'renewed') assert.fail(`the holder's renewal was refused: ${JSON.stringify(reply)}`);
  return reply.lease;
}

/** Lets the lease of this holder run out. */
export async function expire(store: LeaseStore, lease: HeldLease): Promise<void> {
  await renew(store, lease, { ttlMs: shortTtlMs });
  await untilFree(store);
}

export async function untilFree(store: LeaseStore): Promise<void> {
  await untilTrue('the lease is free', async () => (await store.observe()).lease === null);
}

/** A lease without its remaining time. */
export function lasting(lease: HeldLease | null): Omit<HeldLease, 'remainingMs'> | null {
  if (lease === null) return null;
  const { remainingMs, ...rest } = lease;
  return rest;
}

/** The state that a call without effect must not change. */
export async function glance(store: LeaseStore): Promise<unknown> {
  return still(await store.observe());
}

/** An observation without the remaining time. */
export function still({ lease, term }: Observation): unknown {
  return { lease: lasting(lease), term };
}
