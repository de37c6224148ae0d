import {
  type CampaignRequest,
  type ElectionClock,
  type HeldLease,
  type LeaseStore,
  systemClock,
} from 'mempool-election';
import { sqliteElection } from 'mempool-sqlite';
import { onTestFinished } from 'vitest';
import type { LeaseClock } from '../../src/election/lease-clock.ts';
import { sqliteElectionWithClock } from '../../src/election/provider.ts';

/** By the host's clock none runs out in a test; the clock that stands is moved past it. */
export const ttlMs = 60_000;

interface NodeOptions {
  readonly name?: string;
  readonly commandTimeoutMs?: number;
  /** What leases are timed by; without it the host's own clock. */
  readonly clock?: LeaseClock;
  /** What calls the node back; without it the system's. */
  readonly timers?: ElectionClock;
}

/** One node's part in an election of the file, until the test has finished. */
export async function openLeases(path: string, options: NodeOptions = {}): Promise<LeaseStore> {
  const { name = 'watcher', commandTimeoutMs = 1_000, clock, timers = systemClock } = options;
  const provider = clock === undefined ? sqliteElection : sqliteElectionWithClock(clock);
  const store = await provider.open({
    ...{ path, name, ttlMs, commandTimeoutMs },
    clock: timers,
    log: () => undefined,
  });
  onTestFinished(() => store.close());
  return store;
}

/** The campaign of a node that wants what is free. */
export function bid(nodeId: string, request: Partial<CampaignRequest> = {}): CampaignRequest {
  const candidate = { nodeId, address: null, priority: 0 };
  return { candidate, token: `token-of-${nodeId}`, ttlMs, floor: 0, dataLoss: 'wait', takeover: null, ...request };
}

export async function win(store: LeaseStore, nodeId: string, request?: Partial<CampaignRequest>): Promise<HeldLease> {
  const reply = await store.campaign(bid(nodeId, request));
  if (reply.kind !== 'won') throw new Error(`${nodeId} did not win: ${reply.kind}`);
  return reply.lease;
}

/** A clock that stands until a test moves it. */
export class StandingClock implements LeaseClock {
  readonly id: string | null;
  #nowMs = 1_000_000;

  constructor(id: string | null) {
    this.id = id;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
  }
}
