import type { ConnectionOptions } from 'node:tls';
import { isMempoolError } from 'mempool-core';
import { isElectionError, type LeaseStore, systemClock } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';

/** What of this package talks to the server. */
export type Subject = 'pool' | 'election';

export interface Visit {
  readonly subject: Subject;
  readonly port: number;
  readonly tls: ConnectionOptions;
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** `once`: a few calls; `until refused`: one after the other until one is refused for good. */
  readonly stay: 'once' | 'until refused';
}

/** What this process tells the test: that a visit is under way, and what it ended with, the code of an error or `fine`. */
export type Told =
  | { readonly kind: 'opened' }
  | { readonly kind: 'ended'; readonly visit: number; readonly with: string };

const tell = (told: Told) => process.send?.(told);

interface Guest {
  call(): Promise<unknown>;
  close(): Promise<unknown>;
}

async function openPool({ port, tls, timeoutMs }: Visit): Promise<Guest> {
  const store = await redis.open({ url: `rediss://:secret@127.0.0.1:${port}`, tls, timeoutMs });
  void (async () => {
    for await (const _ of await store.subscribe());
  })().catch(() => undefined);
  return { call: () => store.usage(), close: () => store.close() };
}

function leases(options: object, { timeoutMs }: Visit): Promise<LeaseStore> {
  const log = () => undefined;
  const given = { name: 'watcher', ttlMs: 10_000, commandTimeoutMs: timeoutMs, clock: systemClock, log, ...options };
  return redisElection.open(given);
}

async function openElection(visit: Visit): Promise<Guest> {
  const store = await leases({ url: `rediss://:secret@127.0.0.1:${visit.port}`, tls: visit.tls }, visit);
  return { call: () => store.observe(), close: () => store.close() };
}

const open = { pool: openPool, election: openElection };

async function run(visit: Visit): Promise<string> {
  try {
    const guest = await open[visit.subject](visit);
    tell({ kind: 'opened' });
    try {
      return await callAll(guest, visit);
    } finally {
      await guest.close();
    }
  } catch (error) {
    return codeOf(error);
  }
}

async function callAll(guest: Guest, { stay }: Visit): Promise<string> {
  for (let calls = 0; stay === 'until refused' || calls < 3; calls += 1) {
    const code = await guest.call().then(() => 'fine', codeOf);
    if (code === 'ERR_MEMPOOL_AUTH' || code === 'ERR_ELECTION_REFUSED') return code;
    // So that what happens between two calls is noticed.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return 'fine';
}

function codeOf(error: unknown): string {
  return isMempoolError(error) || isElectionError(error) ? error.code : String((error as Error).stack);
}

process.once('message', (visits: readonly Visit[]) => {
  const all = visits.map(async (visit, i) => tell({ kind: 'ended', visit: i, with: await run(visit) }));
  // Anything that is left open, or comes afterwards, has a moment to end this process.
  void Promise.all(all).then(() => setTimeout(() => process.disconnect(), 100));
});
