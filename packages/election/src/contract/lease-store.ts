import type { HeldLease, Lease, Member } from './lease.ts';

/** Who a node says it is. */
export interface Candidate {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
}

/** What a store knows of an election. */
export interface Observation {
  /** `null` where nobody holds a lease. */
  readonly lease: HeldLease | null;
  /** The newest term given out; 0 where the store has none: it is new, or lost its data. */
  readonly term: number;
}

/** What a follower saw of a lease that has not moved since, or not as it should. */
export interface StaleLease {
  readonly token: string;
  /** Take the lease only while its `seq` is still this one. */
  readonly seq?: number;
  /** Take the lease only while its `hbSeq` is still this one. */
  readonly hbSeq?: number;
}

export interface CampaignRequest {
  readonly candidate: Candidate;
  /** Of this campaign alone. Where the lease has it already, it was won and the answer lost: it is renewed. */
  readonly token: string;
  readonly ttlMs: number;
  /** The highest term that the node has seen: its own will be above. */
  readonly floor: number;
  /** A store whose term is below `floor` has lost its data: `wait` leaves it alone then, `accept` goes on. */
  readonly dataLoss: 'wait' | 'accept';
  /** Take the lease away from this holder, if it has still not moved; `null` takes only what is free. */
  readonly takeover: StaleLease | null;
}

export type CampaignReply =
  | {
      readonly kind: 'won';
      readonly lease: HeldLease;
      /** From whom it was taken by force. */
      readonly forced: HeldLease | null;
    }
  /** Another one holds it. */
  | { readonly kind: 'held'; readonly lease: HeldLease; readonly term: number }
  /** The store's term is below `floor`, and `dataLoss` is `wait`. Nothing was written. */
  | { readonly kind: 'forgotten'; readonly term: number };

export interface RenewRequest {
  readonly candidate: Candidate;
  readonly ttlMs: number;
  /** `beat` raises `hbSeq` too and counts as a heartbeat; `still` renews a lease whose holder's work stands still. */
  readonly heartbeat: 'beat' | 'still';
}

export type RenewReply =
  | { readonly kind: 'renewed'; readonly lease: HeldLease }
  /** It is not, or no longer, this holder's. */
  | ({ readonly kind: 'lost' } & Observation);

/** What makes a look worth while before the next poll. It may come late, twice or never. */
export type Hint = 'acquired' | 'released' | 'reconnected';

/**
 * What a backend of the election keeps: one lease for one election. Each verb is one atomic step on the store. A lease that
 * is out of its time is held by nobody, whether or not somebody else has taken it since. A verb rejects when the store is
 * out of reach or did not answer within the time that was agreed at `open`; a campaign, renewal or release that was rejected
 * may have happened all the same.
 */
export interface LeaseStore {
  /** Takes the lease if it is free, is this token's already, or may be taken over. The new term: see `nextTerm`. */
  campaign(request: CampaignRequest): Promise<CampaignReply>;
  /** Begins the lease's time anew, if it is live and this very one; never makes one. */
  renew(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /**
   * Puts back the lease of a store that lost its data: only where none is held and the store's term is below this one. One that
   * was put back already is renewed. Its `seq` and `hbSeq` go on from the store's time in milliseconds, above all that they
   * were: to a follower that saw one of these numbers before, the lease would stand still.
   */
  reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply>;
  /** Ends the lease, if it has this node id and token, live or not. Whether it did. The term stays. */
  release(holder: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean>;
  observe(): Promise<Observation>;
  /** Tells that the node is there, for `ttlMs` and 5 s. Returns all that are, or were lately. */
  heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]>;
  members(): Promise<Member[]>;
  /**
   * Calls the listener when a look is worth while, also where a lease came and went between two looks at the store: who has
   * met it waits for its end. Returns what ends it.
   */
  onHint(listener: (hint: Hint) => void): () => void;
  /** Frees connections, files, timers. Calls under way reject or end. */
  close(): Promise<void>;
}

/** How long a heartbeat counts beyond the lease's time, in milliseconds. */
export const heartbeatExtraMs = 5_000;

/**
 * The term of a new leader: it only ever rises. A store without a term (new, or without its data) begins at its own time in
 * seconds, so that it does not fall behind one that a node saw, whose highest is `floor`.
 */
export function nextTerm(stored: number, floor: number, nowSeconds: number): number {
  return Math.max(stored, floor, stored === 0 ? Math.floor(nowSeconds) - 1 : 0) + 1;
}

/** Rule 4: whether a lease is the one that a follower saw, and has not moved since. */
export function isStale(live: Pick<HeldLease, 'token' | 'seq' | 'hbSeq'>, seen: StaleLease | null): boolean {
  if (seen === null || seen.token !== live.token) return false;
  return (seen.seq ?? live.seq) === live.seq && (seen.hbSeq ?? live.hbSeq) === live.hbSeq;
}
