import type { HeldLease, Lease, Member } from './lease.ts';

/** The data that a node publishes about itself. */
export interface Candidate {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
}

/** The state of an election, as read from its store. */
export interface Observation {
  /** The live lease; `null` if no node holds it. */
  readonly lease: HeldLease | null;
  /** The newest term assigned; 0 if the store has none, because it is new or lost its data. */
  readonly term: number;
}

/** A lease that a follower wants to take over, because its holder seems dead or hangs. */
export interface StaleLease {
  readonly token: string;
  /** Take the lease only if its `seq` is still this one. */
  readonly seq?: number;
  /** Take the lease only if its `hbSeq` is still this one. */
  readonly hbSeq?: number;
}

export interface CampaignRequest {
  readonly candidate: Candidate;
  /** A UUID for this campaign alone. If the live lease has it, the campaign has won before and its answer was lost; then it renews. */
  readonly token: string;
  readonly ttlMs: number;
  /** The highest term that the node has seen. The new term must be higher. */
  readonly floor: number;
  /**
   * The behaviour if the store's term is below `floor`, which means that it has lost its data. With `wait` the campaign writes
   * nothing; with `accept` it continues.
   */
  readonly dataLoss: 'wait' | 'accept';
  /** Also take this live lease, if it was not renewed since; with `null`, take only a free lease. */
  readonly takeover: StaleLease | null;
}

export type CampaignReply =
  | {
      readonly kind: 'won';
      readonly lease: HeldLease;
      /** The live lease that was taken over; `null` if the lease was free. */
      readonly forced: HeldLease | null;
    }
  /** Another node holds the lease. */
  | { readonly kind: 'held'; readonly lease: HeldLease; readonly term: number }
  /** Nothing was written, because the store's term is below `floor` and `dataLoss` is `wait`. */
  | { readonly kind: 'forgotten'; readonly term: number };

export interface RenewRequest {
  readonly candidate: Candidate;
  readonly ttlMs: number;
  /** `beat` also raises `hbSeq` and counts as a heartbeat. `still` only renews, for a holder whose work makes no progress. */
  readonly heartbeat: 'beat' | 'still';
}

export type RenewReply =
  | { readonly kind: 'renewed'; readonly lease: HeldLease }
  /** The lease is not this holder's, or is no longer. */
  | ({ readonly kind: 'lost' } & Observation);

/** A reason to read the store before the next poll. A hint may arrive late, twice or never. */
export type Hint = 'acquired' | 'released' | 'reconnected';

/**
 * The lease of one election, kept by a backend. Each verb is one atomic step on the store. Nobody holds an expired lease,
 * whether or not another node has taken it since.
 *
 * A verb rejects if the store cannot be reached or does not answer within `commandTimeoutMs`. A campaign, renewal or release
 * may have taken effect although it rejected.
 */
export interface LeaseStore {
  /** Takes the lease if it is free, has this token already, or may be taken over. `nextTerm` computes the new term. */
  campaign(request: CampaignRequest): Promise<CampaignReply>;
  /** Restarts the lease's time, if it is live and equals `lease`. Never creates a lease. */
  renew(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /**
   * Restores the lease in a store that lost its data, if no lease is held and the store's term is lower. A lease that was
   * restored already is renewed. Its `seq` and `hbSeq` continue from the store's time in milliseconds, so they are higher than
   * before. With a number that a follower has seen, the lease would look as if it was not renewed.
   */
  reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /** Removes the lease if it has this node id and token, live or expired. Returns true if it did. The term stays. */
  release(holder: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean>;
  /** Reads the lease and the term. Changes nothing. */
  observe(): Promise<Observation>;
  /** Reports that the node takes part. It counts as alive for `ttlMs` + 5 s. Returns all members, as `members` does. */
  heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]>;
  /** Returns all nodes that take part. It includes nodes with an expired heartbeat until the next win removes them. */
  members(): Promise<Member[]>;
  /**
   * Calls the listener when there is a reason to read the store. That includes a lease that was taken and released between two
   * reads, because a node whose campaign met that lease waits for its end. Returns a function that removes the listener.
   */
  onHint(listener: (hint: Hint) => void): () => void;
  /** Frees connections, files and timers. Calls under way reject or end. */
  close(): Promise<void>;
}

/** How long after `ttlMs` a heartbeat still counts, in milliseconds. */
export const heartbeatExtraMs = 5_000;

/**
 * Returns the term of a new leader. Terms only rise. A store without a term is new or lost its data. It begins at its own time
 * in seconds, so that the term is not below one that some node saw. `floor` is the highest term that the candidate saw.
 */
export function nextTerm(stored: number, floor: number, nowSeconds: number): number {
  return Math.max(stored, floor, stored === 0 ? Math.floor(nowSeconds) - 1 : 0) + 1;
}

/** True if the live lease is the one that a follower saw, and was not renewed since (rule 4). */
export function isStale(live: Pick<HeldLease, 'token' | 'seq' | 'hbSeq'>, seen: StaleLease | null): boolean {
  if (seen === null || seen.token !== live.token) return false;
  return (seen.seq ?? live.seq) === live.seq && (seen.hbSeq ?? live.hbSeq) === live.hbSeq;
}
