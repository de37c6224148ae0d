import type { PageQuery, ReadOptions, SeqQuery, WriteOptions } from './call-options.ts';
import type { Limits } from './limits.ts';
import type { StoredTransaction, Transaction } from './transaction.ts';
import type { CheckedVerdict, Refusal, Verdict } from './verdict.ts';

/** A transaction as it is handed in, with what the application says of it and the peer it came from. */
export interface Submission extends Transaction {
  readonly verdict?: Verdict | undefined;
  /** The peer that sent it, 1–256 characters: `since` does not hand it back to that one. */
  readonly from?: string | undefined;
}

/** When a call is made, where that counts. */
export interface CallTime {
  /** Milliseconds since 1970; default: the pool's clock, which it never passes. Only to say that it was earlier. */
  readonly now?: number | undefined;
  /** The chain's height; default: the pool's tick. Give it in every call or in none. */
  readonly height?: number | undefined;
}

export interface ReceiveOptions extends WriteOptions, CallTime {}
export interface SweepOptions extends WriteOptions, CallTime {}

/** What a block, or a taker, has room for. Left out: no limit; 0: none. */
export interface Budget {
  readonly maxBytes?: number | undefined;
  readonly maxGas?: number | undefined;
  readonly maxTxs?: number | undefined;
  /** How many that do not fit may be passed over; their descendants then are too, and do not count. Default 0: the first misfit ends it. */
  readonly skip?: number | undefined;
  /** Bytes that each takes beside its payload; default 0. */
  readonly overheadBytes?: number | undefined;
}

/** One of the pool's ready transactions, without its payload. */
export interface Candidate {
  readonly hash: string;
  readonly seq: number;
  /** Of the payload. */
  readonly bytes: number;
  readonly gas: number;
  /** Its own, not the one it sorts by. */
  readonly priority: bigint;
}

export interface RankedCandidate extends Candidate {
  /** Its place in the order as text: keys compare as text. A cursor for `best`. */
  readonly key: string;
}

export interface BestQuery extends PageQuery {
  /** Start behind this key; default: at the best. */
  readonly after?: string | undefined;
}

export interface TakeOptions extends WriteOptions, CallTime {
  /** Who takes, 1–128 printable characters. */
  readonly owner: string;
  /** How long the taken ones are under this lease, in milliseconds. */
  readonly claimMs: number;
}

/** What is in flight under one lease. */
export interface Claim {
  /** The operation id of the call, given or made. */
  readonly claimId: string;
  readonly owner: string;
  /** Milliseconds since 1970 by the pool's clock. What was not acknowledged by then goes back to Pending at the next sweep. */
  readonly untilMs: number;
  readonly transactions: readonly Candidate[];
}

/** Hashes by what became of them. At most 1,000 in all: `more` says that there is more to sweep. */
export interface Sweep {
  /** Their lease ended: Pending again. */
  readonly returned: readonly string[];
  readonly expired: readonly string[];
  readonly evicted: readonly string[];
  readonly more: boolean;
}

export interface GossipQuery extends PageQuery {
  /** Leaves out what this peer sent. */
  readonly except?: string | undefined;
  /** Without payloads. Default false. */
  readonly hashesOnly?: boolean | undefined;
}

export interface GossipItem {
  readonly hash: string;
  readonly seq: number;
  readonly gossipSeq: number;
  readonly bytes: number;
  readonly gas: number;
  readonly priority: bigint;
  /** Bytes that belong to the caller; `null` where hashes alone were asked for. */
  readonly payload: Uint8Array | null;
  readonly payloadType: number | null;
}

export interface GossipPage {
  readonly items: readonly GossipItem[];
  /** Where to go on; what was filtered out is behind it too. */
  readonly next: number;
}

/** A transaction whose verdict was given below a height. */
export interface StaleTransaction {
  readonly hash: string;
  readonly seq: number;
  /** Counts its verdicts. For `revise`. */
  readonly version: number;
  /** The height its verdict was given at. */
  readonly checkedHeight: number;
}

export interface StaleQuery extends PageQuery {
  /** Default: Pending ones whose verdict was given below this height. */
  readonly height: number;
}

export interface Revision {
  readonly hash: string;
  /** The verdict that was looked at. */
  readonly version: number;
  readonly answer: Verdict | Refusal;
}

export type ReviseOutcome =
  | { readonly kind: 'revised'; readonly hash: string; readonly version: number }
  | { readonly kind: 'dropped'; readonly hash: string }
  /** A newer verdict came meanwhile; nothing was changed. */
  | { readonly kind: 'superseded'; readonly hash: string; readonly version: number }
  /** Not Pending any more. */
  | { readonly kind: 'skipped'; readonly hash: string }
  /** The new verdict would break a bound; nothing was changed. */
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  | { readonly kind: 'cycle'; readonly hash: string };

export interface ReviseOptions extends WriteOptions, CallTime {}

/** The limits that refuse by their own name. */
export type LimitName = 'maxTxGas' | 'maxParked' | 'maxAncestors' | 'maxDescendants';

/** Why a priority pool refuses a transaction. Nothing has changed. */
export type AdmissionRefusal =
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  /** What it provides is provided by one that is not Pending any more, `with`; `null`: a block has satisfied it. */
  | { readonly kind: 'conflict'; readonly hash: string; readonly with: string | null }
  /** It pays too little to replace what provides the same; `required`: the least priority that might do. One above 2^63 − 1 is nobody's. */
  | { readonly kind: 'replacement-underpriced'; readonly hash: string; readonly required: bigint }
  | { readonly kind: 'sender-limit'; readonly hash: string; readonly limit: number }
  /** It would come before and after itself. */
  | { readonly kind: 'cycle'; readonly hash: string }
  /** `floor`: as in `usage`; `null` where no priority would do. */
  | { readonly kind: 'full'; readonly hash: string; readonly floor?: bigint | null };

/** How full a pool with limits is. */
export interface Load {
  /** Pending, Propagated and Acknowledged. */
  readonly transactions: number;
  readonly bytes: number;
  readonly gas: number;
  /** Pending, but not ready. */
  readonly parked: number;
  /** What still fits without an eviction; below 0 where the pool is over its limits; `Infinity` without a limit. */
  readonly headroom: { readonly transactions: number; readonly bytes: number };
  /** The lowest priority that a ready transaction of one byte without parents needs now; `null` where none would do. */
  readonly floor: bigint | null;
}

/**
 * The verbs of a pool with limits. All of them in a priority pool (`ordering: 'priority'`); of a pool in order of arrival those
 * marked FIFO, the rest are `ERR_MEMPOOL_UNSUPPORTED` there.
 */
export interface PoolVerbs {
  /** The ready ones that fit, best first: a prefix of the order (FIFO: of the arrivals). Changes nothing. */
  reap(budget?: Budget, options?: ReadOptions): Promise<Candidate[]>;
  /** A page of the ready ones by key. */
  best(query?: BestQuery): Promise<RankedCandidate[]>;
  /** Reaps and marks in flight under a lease, in one step (FIFO). A repeat with the same operation id: what is still under it. */
  take(budget: Budget, options: TakeOptions): Promise<Claim>;
  /** Ends leases (FIFO), drops what waited too long, and what is over the limits. */
  sweep(options?: SweepOptions): Promise<Sweep>;
  /** What became ready since, in that order (FIFO: what arrived, by seq). */
  since(gossipSeq: number, query?: GossipQuery): Promise<GossipPage>;
  /** The live ones among these, in the order asked (FIFO). */
  payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | null)[]>;
  /** Pending ones that wait for a parent, by seq (FIFO: none). */
  peekParked(query?: SeqQuery): Promise<StoredTransaction[]>;
  /** What is to be validated again, the longest unchecked first. */
  stale(query: StaleQuery): Promise<StaleTransaction[]>;
  /** Applies verdicts that were given again. */
  revise(revisions: readonly Revision[], options?: ReviseOptions): Promise<ReviseOutcome[]>;
  /** Pending ones → Dropped(flushed), all of them in one step (FIFO). Returns how many. */
  flush(options?: WriteOptions): Promise<number>;
  /** Sets the limits that are named; returns all of them. Evicts nothing: `sweep` does. */
  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits>;
  /** The whole state beyond the lifecycle, in canonical form: for tests and diagnosis. It reads everything. */
  dump(options?: ReadOptions): Promise<PoolDump>;
}

/** The state of a priority pool in canonical form: equal states give deeply equal dumps. A drained pool's lists are empty. */
export interface PoolDump {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly totals: {
    readonly transactions: number;
    readonly bytes: number;
    readonly gas: number;
    readonly parked: number;
  };
  /** Every live or logged transaction, by hash. */
  readonly entries: readonly DumpedEntry[];
  /** Hashes of all Pending ones, ready and parked, as the index has them. */
  readonly order: readonly string[];
  /** Live ones that provide each tag, by tag, the hashes sorted. */
  readonly providers: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** Live ones that require each tag, by tag, the hashes sorted. */
  readonly dependents: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** Pending, Propagated and Acknowledged ones of each sender but the empty one, by sender. */
  readonly senders: readonly (readonly [sender: string, count: number])[];
  /** Hashes with a lease, by lease id, then hash. */
  readonly leases: readonly (readonly [claimId: string, hashes: readonly string[]])[];
  /** Hashes of what `since(0)` covers, whether it may propagate or not, by gossipSeq. */
  readonly gossip: readonly string[];
  /** Tags that kept blocks satisfied, by tag, with the tick. */
  readonly satisfied: readonly (readonly [tag: string, tick: number])[];
}

export interface DumpedEntry extends Omit<CheckedVerdict, 'priority'> {
  readonly hash: string;
  readonly seq: number;
  readonly stage: string;
  readonly bytes: number;
  readonly priority: bigint;
  readonly sources: readonly string[];
  readonly version: number;
  readonly admittedAt: number;
  readonly admittedHeight: number;
  readonly checkedHeight: number;
  readonly gossipSeq: number;
  readonly lease: { readonly id: string; readonly owner: string; readonly untilMs: number } | null;
  /** `null` unless Pending. */
  readonly place: {
    readonly ready: boolean;
    readonly effectivePriority: bigint;
    readonly tieBreakSeq: number;
    readonly depth: number;
  } | null;
}
