import type { PageQuery, ReadOptions, WriteOptions } from './call-options.ts';
import type { LifeFacts, LiveStage, Transaction } from './transaction.ts';
import { maxPriority, minPriority, type Refusal, type Verdict } from './verdict.ts';

/** A transaction to receive, with the application's verdict on it and the peer that sent it. */
export interface Submission extends Omit<Transaction, 'payloadType'> {
  /** 0–65,535, such as a Cardano era or an EVM transaction type. Default 0. */
  readonly payloadType?: number | undefined;
  readonly verdict?: Verdict | undefined;
  /** The peer that sent it, 1–256 characters. `since` with this peer in `except` does not return it. */
  readonly from?: string | undefined;
}

/** The time and height of a call, for expiry and claims. */
export interface CallTime {
  /**
   * Milliseconds since 1970. The default is the pool's clock; a later time is lowered to it. Set this only if the call
   * belongs to an earlier time.
   */
  readonly now?: number | undefined;
  /** The height of the chain; default: the pool's tick. Set it in every call or in none. */
  readonly height?: number | undefined;
}

/** Options of `receive`. */
export interface ReceiveOptions extends WriteOptions, CallTime {}
/** Options of `extendClaim`. */
export interface ExtendOptions extends WriteOptions, CallTime {}
/** Options of `sweep`. */
export interface SweepOptions extends WriteOptions, CallTime {
  /** Also drop transactions until the limits hold, such as after `setLimits` lowered one. Default false. Priority pools only. */
  readonly overLimits?: boolean | undefined;
}

/** The capacity of a block or of a worker. A field that is left out means no limit; 0 means no room. */
export interface Budget {
  /** The largest sum of payload sizes, in bytes. Default: no limit. */
  readonly maxBytes?: number | undefined;
  /** The largest sum of gas. Default: no limit. */
  readonly maxGas?: number | undefined;
  /** The largest number of transactions. Default: no limit. */
  readonly maxTxs?: number | undefined;
  /**
   * How many transactions that do not fit may be skipped. Their descendants are skipped too and do not count. With the
   * default 0, the first one that does not fit ends the selection.
   */
  readonly skip?: number | undefined;
  /** Bytes that each transaction needs in addition to its payload; default 0. */
  readonly overheadBytes?: number | undefined;
}

/** A ready transaction, without its payload. */
export interface Candidate {
  readonly hash: string;
  readonly seq: number;
  /** Length of the payload. */
  readonly bytes: number;
  readonly gas: number;
  /** Its own priority; with a tip, at the present floor (P29). It sorts by its effective priority, which may be lower. */
  readonly priority: bigint;
}

/** Options of a verb that returns payloads. */
export interface PayloadsOptions extends ReadOptions {
  /**
   * Let the store return its own bytes instead of copies, if it has them in memory (P32). Never change them, nor transfer
   * their buffer, which other payloads share. They stay as they are for as long as you keep them. Default false.
   */
  readonly view?: boolean | undefined;
}

/** Options of `reap`. */
export interface ReapOptions extends ReadOptions {
  /** Without payloads. */
  readonly payloads?: false | undefined;
}

/** Options of a `reap` that returns the payloads too. */
export interface ReapPayloadsOptions extends PayloadsOptions {
  /** With the bytes of each transaction. */
  readonly payloads: true;
}

/** A candidate with its payload, which the caller owns unless it asked for a `view`. */
export interface ReapedTransaction extends Candidate {
  readonly payload: Uint8Array;
  readonly payloadType: number;
}

/** A candidate with its sort key and its parents. */
export interface RankedCandidate extends Candidate {
  /** The sort key. Keys compare as text. A key is a cursor for `best`. */
  readonly key: string;
  /** The hashes of the Pending transactions that it depends on directly, by seq (P25). They come before it. */
  readonly parents: readonly string[];
}

/** Options of `best`. */
export interface BestQuery extends PageQuery {
  /** Start after this key; default: at the best candidate. */
  readonly after?: string | undefined;
}

/** Options of `take`. */
export interface TakeOptions extends WriteOptions, CallTime {
  /** The name of the worker that takes the transactions, 1–128 printable characters. */
  readonly owner: string;
  /** How long the claim lasts, in milliseconds. */
  readonly claimMs: number;
  /** Without payloads. */
  readonly payloads?: false | undefined;
}

/** Options of a `take` that returns the payloads too. */
export interface TakePayloadsOptions extends Omit<TakeOptions, 'payloads'> {
  /** With the bytes of each transaction. */
  readonly payloads: true;
}

/** A taken transaction, without its payload. Its `attempts` include this `take` (O8). */
export interface TakenCandidate extends Candidate, LifeFacts {}

/** A taken transaction with its payload, which the caller owns. */
export interface ClaimedTransaction extends TakenCandidate {
  readonly payload: Uint8Array;
  readonly payloadType: number;
}

/** The outcome of `extendClaim`. */
export type ExtendOutcome =
  | {
      readonly kind: 'extended';
      /** When the claim now ends, in milliseconds since 1970 by the pool's clock. */
      readonly untilMs: number;
      /** How many transactions are still under the claim. */
      readonly held: number;
    }
  /** No transaction is under the claim any more. */
  | { readonly kind: 'ended' };

/** The result of `take`: transactions that it moved to Propagated, under one claim. */
export interface Claim<One = TakenCandidate> {
  /** The operation id of the call: given by the caller, else generated. */
  readonly claimId: string;
  readonly owner: string;
  /**
   * When the claim ends, in milliseconds since 1970 by the pool's clock. The next `sweep` after that returns transactions
   * that are still under the claim to Pending.
   */
  readonly untilMs: number;
  readonly transactions: readonly One[];
}

/** A claim of a `take` with `payloads`, without damaged transactions (M2). */
export type ClaimWithPayloads = Claim<ClaimedTransaction>;

/** The hashes of the transactions that `sweep` changed, by reason; at most 1,000 in all. */
export interface Sweep {
  /** Returned to Pending, because their claim had ended. */
  readonly returned: readonly string[];
  /** No longer held back, because their `notBeforeMs` has come (P20). */
  readonly woken: readonly string[];
  /** Dropped, because they waited or were in flight too long. */
  readonly expired: readonly string[];
  /** Dropped, because the pool was over its limits; only with `overLimits`. */
  readonly evicted: readonly string[];
  /** True if there is more to sweep. Call `sweep` again. */
  readonly more: boolean;
}

/** Options of `since`. */
export interface GossipQuery extends PageQuery {
  /** The cursor to start at: `next` of the page before (O7). Default `origin`, the beginning. */
  readonly after?: string | undefined;
  /** Leave out the transactions that this peer sent. */
  readonly except?: string | undefined;
  /** If true, return no payloads. Default false. */
  readonly hashesOnly?: boolean | undefined;
}

/** A transaction to send to peers. */
export interface GossipItem {
  readonly hash: string;
  readonly seq: number;
  readonly gossipSeq: number;
  readonly bytes: number;
  readonly gas: number;
  readonly priority: bigint;
  /** The payload, owned by the caller; `null` with `hashesOnly`. */
  readonly payload: Uint8Array | null;
  readonly payloadType: number | null;
}

/** A page of transactions to send to peers, without damaged ones (M2). */
export interface GossipPage {
  readonly items: readonly GossipItem[];
  /** The cursor that gets the next page. It is also past the transactions that this page left out. */
  readonly next: string;
}

/** A transaction whose verdict is older than the height asked for. */
export interface StaleTransaction {
  readonly hash: string;
  readonly seq: number;
  /** The version of its verdict. Pass it to `revise`. */
  readonly version: number;
  /** The height at which its verdict was given. */
  readonly checkedHeight: number;
}

/** Options of `stale`. */
export interface StaleQuery extends PageQuery {
  /** Return Pending transactions whose verdict was given below this height. */
  readonly height: number;
}

/** A live transaction of a priority pool, with the sender and the tags of its verdict. */
export interface LiveCandidate extends Candidate {
  readonly stage: LiveStage;
  /** True if it is Pending but not ready: it waits for a parent, is held back or is below the floor (P2, P20, P26). */
  readonly parked: boolean;
  readonly sender: string;
  readonly provides: readonly string[];
  readonly requires: readonly string[];
}

/** Options of `bySender`. */
export interface SenderQuery extends PageQuery {
  /** The key to start after: `next` of the page before. By default, the page starts at the first transaction. */
  readonly after?: string | undefined;
}

/** The live transactions of one sender (P23). */
export interface SenderPage {
  /** First those in flight, by seq. Then the Pending ones in the pool's order, so ready ones come before parked ones. */
  readonly transactions: readonly (LiveCandidate & {
    /** Its position among the sender's transactions. Keys compare as text. A key is valid as `after`. */
    readonly key: string;
  })[];
  /**
   * The sender's gaps: tags that its Pending transactions require, that no live transaction provides and that no block
   * satisfied; at most 1,000. Each page has the gaps of all the sender's transactions.
   */
  readonly missing: readonly string[];
  /** The `after` of the next page; `null` if there is none. */
  readonly next: string | null;
}

/** Options of `byTag`. */
export interface TagQuery extends PageQuery {}

/** The live transactions that name a tag (P23). */
export interface TagPage {
  /** True if a block satisfied the tag and the pool has not forgotten that (P12). */
  readonly satisfied: boolean;
  /** The live transaction that provides the tag; `null` if none does. */
  readonly provider: LiveCandidate | null;
  /** The live transactions that require the tag, by seq; at most `limit`. */
  readonly dependents: readonly LiveCandidate[];
  /** True if more than `limit` transactions require the tag. */
  readonly more: boolean;
}

/** The result of `dropBySender`. */
export interface SenderDrop {
  /** The hashes that it dropped, by seq; at most 1,000. */
  readonly dropped: readonly string[];
  /** True if there is more to drop. Call `dropBySender` again. */
  readonly more: boolean;
}

/** A new verdict, or a refusal, for a transaction that was validated again. */
export interface Revision {
  readonly hash: string;
  /** The version of the verdict that it replaces. */
  readonly version: number;
  readonly answer: Verdict | Refusal;
}

/** The outcome of `revise` for one revision. */
export type ReviseOutcome =
  | { readonly kind: 'revised'; readonly hash: string; readonly version: number }
  | { readonly kind: 'dropped'; readonly hash: string }
  /** The transaction has a newer verdict, whose `version` this is; nothing changed. */
  | { readonly kind: 'superseded'; readonly hash: string; readonly version: number }
  /** The transaction is no longer Pending; nothing changed. */
  | { readonly kind: 'skipped'; readonly hash: string }
  /** The new verdict would exceed a limit; nothing changed. */
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  | { readonly kind: 'cycle'; readonly hash: string };

/** Options of `revise`. */
export interface ReviseOptions extends WriteOptions, CallTime {}

/** The limits that a refusal names. */
export type LimitName = 'maxTxGas' | 'maxParked' | 'maxProtected' | 'maxAncestors' | 'maxDescendants';

/** A refusal of a transaction by a pool, with its reason. Nothing changed. */
export type AdmissionRefusal =
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  /** It provides the same tag as `with`, a transaction in flight, or as a transaction in a block if `with` is `null`. */
  | { readonly kind: 'conflict'; readonly hash: string; readonly with: string | null }
  /**
   * Its priority is too low to replace the transactions that provide the same tags. `required` is the lowest priority that
   * may suffice. If it is above 2^63 − 1, no priority suffices.
   */
  | {
      readonly kind: 'replacement-underpriced';
      readonly hash: string;
      readonly required: bigint;
      /** Only for one with a tip: the lowest tip that might suffice. `required` is the lowest `maxPriority` then. */
      readonly requiredTip?: bigint;
    }
  | { readonly kind: 'sender-limit'; readonly hash: string; readonly limit: number }
  /** It would depend on itself. */
  | { readonly kind: 'cycle'; readonly hash: string }
  /** The pool is full. `floor` is the priority needed now, as in `usage`. A fifo pool has no floor. */
  | { readonly kind: 'full'; readonly hash: string; readonly floor?: Floor };

/**
 * The priority that a ready transaction of one byte without parents needs to be admitted now. `open` means that any
 * suffices, `at-least` that this one or a higher one does, `closed` that none does.
 */
export type Floor =
  | { readonly kind: 'open' }
  | { readonly kind: 'at-least'; readonly priority: bigint }
  | { readonly kind: 'closed' };

/** Returns the floor of a pool that admits priorities of at least `least`, or no priority if `least` is `null`. */
export function floorAt(least: bigint | null): Floor {
  if (least === null || least > maxPriority) return { kind: 'closed' };
  return least === minPriority ? { kind: 'open' } : { kind: 'at-least', priority: least };
}

/** How full a priority pool is. */
export interface Load {
  /** Transactions that are Pending, Propagated or Acknowledged. */
  readonly transactions: number;
  readonly bytes: number;
  readonly gas: number;
  /** Pending transactions that are not parked. */
  readonly ready: number;
  /** Pending transactions that wait for a parent, are held back, or are below the limit `minPriority`. */
  readonly parked: number;
  /** Parked transactions whose effective priority is below the limit `minPriority` (P26). */
  readonly belowFloor: number;
  /** Protected transactions among all that this counts (P28). */
  readonly protected: number;
  /** The free capacity before evictions begin. It is negative if the pool is over its limits, `Infinity` without a limit. */
  readonly headroom: { readonly transactions: number; readonly bytes: number };
  /** The priority that a new transaction needs to be admitted now. */
  readonly floor: Floor;
}
