import type { HeldLease, Lease, Member } from './lease.ts';

/** The data that a node publishes about itself. */
export interface Candidate {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
}

/** The state of an election, as its store has it. */
export interface Observation {
  /** `null` when no node holds the lease. */
  readonly lease: HeldLease | null;
  /** The newest term given out; 0 when the store has none, because it is new or lost its data. */
  readonly term: number;
}

/** A lease that a follower wants to take over, because its holder seems dead or stuck. */
export interface StaleLease {
  readonly token: string;
  /** Take the lease only while its `seq` is still this one. */
  readonly seq?: number;
  /** Take the lease only while its `hbSeq` is still this one. */
  readonly hbSeq?: number;
}

export interface CampaignRequest {
  readonly candidate: Candidate;
  /** A UUID for this campaign alone. If the live lease already has it, the campaign was won before and its answer lost: the lease is renewed. */
  readonly token: string;
  readonly ttlMs: number;
  /** The highest term that the node has seen. The new term will be higher. */
  readonly floor: number;
  /** A store whose term is below `floor` has lost its data. With `wait` the campaign then writes nothing; with `accept` it goes on. */
  readonly dataLoss: 'wait' | 'accept';
  /** Take the lease from this holder, if it has still not moved; `null` takes only a free lease. */
  readonly takeover: StaleLease | null;
}

export type CampaignReply =
  | {
      readonly kind: 'won';
      readonly lease: HeldLease;
      /** The live lease that was taken over; `null` when the lease was free. */
      readonly forced: HeldLease | null;
    }
  /** Another node holds it. */
  | { readonly kind: 'held'; readonly lease: HeldLease; readonly term: number }
  /** The store's term is below `floor`, and `dataLoss` is `wait`: nothing was written. */
  | { readonly kind: 'forgotten'; readonly term: number };

export interface RenewRequest {
  readonly candidate: Candidate;
  readonly ttlMs: number;
  /** `beat` also raises `hbSeq` and counts as a heartbeat. `still` only renews: for a holder whose work makes no progress. */
  readonly heartbeat: 'beat' | 'still';
}

export type RenewReply =
  | { readonly kind: 'renewed'; readonly lease: HeldLease }
  /** It is not this holder's lease, or no longer. */
  | ({ readonly kind: 'lost' } & Observation);

/** A reason to look at the store before the next poll. A hint may come late, twice or never. */
export type Hint = 'acquired' | 'released' | 'reconnected';

/**
 * The lease of one election, kept by a backend. Each verb is one atomic step on the store. Nobody holds an expired lease,
 * whether or not another node has taken it since.
 *
 * A verb rejects when the store cannot be reached or does not answer within `commandTimeoutMs`. A campaign, renewal or release
 * that was rejected may have been carried out all the same.
 */
export interface LeaseStore {
  /** Takes the lease if it is free, has this token already, or may be taken over. `nextTerm` gives the new term. */
  campaign(request: CampaignRequest): Promise<CampaignReply>;
  /** Starts the lease's time again, if it is live and exactly this one. Never creates a lease. */
  renew(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /**
   * Puts the lease back into a store that lost its data: only when no lease is held and the store's term is lower. A lease that
   * was put back already is renewed. Its `seq` and `hbSeq` continue from the store's time in milliseconds, higher than ever
   * before: with a number that a follower saw before, the lease would seem not to move.
   */
  reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /** Removes the lease if it has this node id and token, live or expired. Resolves with whether it did. The term stays. */
  release(holder: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean>;
  /** Reads the lease and the term. Changes nothing. */
  observe(): Promise<Observation>;
  /** Reports that the node takes part. It counts as alive for `ttlMs` + 5 s. Resolves with all members, as `members` does. */
  heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]>;
  /** All nodes that take part, and those whose heartbeat expired and that no win has removed yet. */
  members(): Promise<Member[]>;
  /**
   * Calls the listener when there is a reason to look at the store, also after a lease that came and went between two looks: a
   * node that met it waits for its end. Returns a function that removes the listener.
   */
  onHint(listener: (hint: Hint) => void): () => void;
  /** Frees connections, files and timers. Calls under way reject or end. */
  close(): Promise<void>;
}

/** How long a heartbeat counts beyond `ttlMs`, in milliseconds. */
export const heartbeatExtraMs = 5_000;

/**
 * The term of a new leader. Terms only rise. A store without a term, because it is new or lost its data, begins at its own time
 * in seconds, so that it does not fall behind a term that some node saw. `floor` is the highest term that the candidate saw.
 */
export function nextTerm(stored: number, floor: number, nowSeconds: number): number {
  return Math.max(stored, floor, stored === 0 ? Math.floor(nowSeconds) - 1 : 0) + 1;
}

/** Rule 4: whether the live lease is the one that a follower saw, and was not renewed since. */
export function isStale(live: Pick<HeldLease, 'token' | 'seq' | 'hbSeq'>, seen: StaleLease | null): boolean {
  if (seen === null || seen.token !== live.token) return false;
  return (seen.seq ?? live.seq) === live.seq && (seen.hbSeq ?? live.hbSeq) === live.hbSeq;
}
