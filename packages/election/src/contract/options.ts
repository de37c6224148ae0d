import type { ElectionClock } from './clock.ts';
import type { LeaseStoreOptions } from './provider.ts';

/** The options of every election. Durations are in milliseconds. */
export interface ElectionOptions {
  /** Name of the election: 1–64 of `a–z 0–9 . _ -`; default `watcher`. */
  readonly name?: string | undefined;
  /** Id of this node: 1–128 printable ASCII characters without spaces; default a UUID. */
  readonly nodeId?: string | undefined;
  /** How long a lease lasts without a renewal, at least 250; default 10,000. */
  readonly ttlMs?: number | undefined;
  /** Time between renewals; default ttl / 3. */
  readonly renewMs?: number | undefined;
  /** Time between heartbeats; default ttl / 3. */
  readonly heartbeatMs?: number | undefined;
  /** Time between a follower's reads of the store; default 500, at most ttl / 2. */
  readonly pollMs?: number | undefined;
  /**
   * A leader whose heartbeat has not changed for this time, at two reads, is replaced although its lease is live; default
   * ttl + 5,000. `false` turns this off.
   */
  readonly staleHeartbeatMs?: number | false | undefined;
  /** The first read of the store waits for a random part of this time; default 0. */
  readonly startDelayMs?: number | undefined;
  /** A campaign waits for a random part of this time; default 25. */
  readonly jitterMs?: number | undefined;
  /** The address at which other nodes reach this one. The election only publishes it. */
  readonly address?: string | undefined;
  /**
   * Priority in campaigns, 0–100; default 0. Before a campaign, a node waits 50 ms for each step that it is below the highest
   * live member. A node never takes the lease of a live leader because of its priority.
   */
  readonly priority?: number | undefined;
  /**
   * `true` makes this node an observer: it is among the members and sees who leads, and never leads itself. It has no priority,
   * and its `campaign`, `depose` and `runAsLeader` reject. Default `false`.
   */
  readonly observer?: boolean | undefined;
  /**
   * A leader whose work reports no progress for this time resigns; default `false`, which means never. Its heartbeat stops
   * after half of this time. So other nodes replace it earlier, if that half is longer than their `staleHeartbeatMs`.
   */
  readonly progressTimeoutMs?: number | false | undefined;
  /** Source of time, for tests; default `systemClock`. */
  readonly clock?: ElectionClock | undefined;
  /** Receives log entries. By default nothing is logged. */
  readonly log?: LeaseStoreOptions['log'] | undefined;
}

export const optionNames: { readonly [Name in keyof ElectionOptions]-?: true } = {
  name: true,
  nodeId: true,
  ttlMs: true,
  renewMs: true,
  heartbeatMs: true,
  pollMs: true,
  staleHeartbeatMs: true,
  startDelayMs: true,
  jitterMs: true,
  address: true,
  priority: true,
  observer: true,
  progressTimeoutMs: true,
  clock: true,
  log: true,
};
