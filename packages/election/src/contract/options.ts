import type { ElectionClock } from './clock.ts';
import type { LeaseStoreOptions } from './provider.ts';

/** How a node takes part. Durations are in milliseconds. */
export interface ElectionOptions {
  /** Name of the election, 1–64 of `a–z 0–9 . _ -`; default `watcher`. */
  readonly name?: string | undefined;
  /** 1–128 printable ASCII characters without spaces; default a UUID. */
  readonly nodeId?: string | undefined;
  /** How long a lease lasts without a renewal, at least 250; default 10,000. */
  readonly ttlMs?: number | undefined;
  /** Between renewals; default ttl / 3. */
  readonly renewMs?: number | undefined;
  /** Between heartbeats; default ttl / 3. */
  readonly heartbeatMs?: number | undefined;
  /** Between looks of a follower; default 500, at most ttl / 2. */
  readonly pollMs?: number | undefined;
  /** A leader whose heartbeat stands still for so long, at two looks, is replaced though its lease lives; default ttl + 5,000. */
  readonly staleHeartbeatMs?: number | false | undefined;
  /** Before the first look, a random part of it; default 0. */
  readonly startDelayMs?: number | undefined;
  /** Before a campaign, a random part of it; default 25. */
  readonly jitterMs?: number | undefined;
  /** Where other nodes reach this one; for them to read. */
  readonly address?: string | undefined;
  /** 0–100; a node waits 50 ms for each step that it is below the highest; never takes the lease of a live one. Default 0. */
  readonly priority?: number | undefined;
  /**
   * A leader whose work reports no progress for so long resigns; default `false`: never. From half of it on its heartbeat stands
   * still, so nodes replace it before it resigns where that is more than their `staleHeartbeatMs`.
   */
  readonly progressTimeoutMs?: number | false | undefined;
  readonly clock?: ElectionClock | undefined;
  /** Silent by default. */
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
  progressTimeoutMs: true,
  clock: true,
  log: true,
};
