import type { PageQuery, ReadOptions, SeqQuery, WriteOptions } from './call-options.ts';
import type { DropReason } from './drop-reason.ts';
import type { DumpedPool, PoolContent, RestoreOutcome } from './dump.ts';
import type { Limits } from './limits.ts';
import type {
  DamagedRecord,
  DamagedTransaction,
  LifeFacts,
  LiveStage,
  Transaction,
  TransactionPage,
} from './transaction.ts';
import { type CheckedVerdict, maxPriority, minPriority, type Refusal, type Verdict } from './verdict.ts';

/** A transaction to receive, with the application's verdict on it and the peer that sent it. */
export interface Submission extends Omit<Transaction, 'payloadType'> {
  /** 0–65,535, such as a Cardano era or an EVM transaction type. Default 0. */
  readonly payloadType?: number | undefined;
  readonly verdict?: Verdict | undefined;
  /** The peer that sent it, 1–256 characters. `since` does not return it to that peer. */
  readonly from?: string | undefined;
}

/** The time of a call, for expiry and claims. */
export interface CallTime {
  /**
   * Milliseconds since 1970, at most the pool's clock, which is the default. Give it if the call belongs to an earlier
   * time.
   */
  readonly now?: number | undefined;
  /** The height of the chain; default: the pool's tick. Give it in every call or in none. */
  readonly height?: number | undefined;
}

/** Options of `receive`. */
export interface ReceiveOptions extends WriteOptions, CallTime {}
/** Options of `extendClaim`. */
export interface ExtendOptions extends WriteOptions, CallTime {}
/** Options of `sweep`. */
export interface SweepOptions extends WriteOptions, CallTime {
  /** Also drop what is over the limits, such as after `setLimits` has lowered one. Default false. Priority pools only. */
  readonly overLimits?: boolean | undefined;
}

/** The room that a block or a worker has. A field that is left out means no limit; 0 means no room. */
export interface Budget {
  readonly maxBytes?: number | undefined;
  readonly maxGas?: number | undefined;
  readonly maxTxs?: number | undefined;
  /**
   * How many transactions that do not fit may be skipped. Their descendants are skipped too and do not count. Default 0: the
   * first one that does not fit ends the selection.
   */
  readonly skip?: number | undefined;
  /** Bytes that each transaction needs beside its payload; default 0. */
  readonly overheadBytes?: number | undefined;
}

/** A ready transaction, without its payload. */
export interface Candidate {
  readonly hash: string;
  readonly seq: number;
  /** Of the payload. */
  readonly bytes: number;
  readonly gas: number;
  /** Its own priority, not the effective one that it sorts by. */
  readonly priority: bigint;
}

/** A candidate with its sort key and its parents. */
export interface RankedCandidate extends Candidate {
  /** The sort key as text. Keys compare as text; a key is a cursor for `best`. */
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
  /** The worker that takes, 1–128 printable characters. */
  readonly owner: string;
  /** How long the claim lasts, in milliseconds. */
  readonly claimMs: number;
  readonly payloads?: false | undefined;
}

/** Options of a `take` that returns the payloads too. */
export interface TakePayloadsOptions extends Omit<TakeOptions, 'payloads'> {
  readonly payloads: true;
}

/** A taken transaction, without its payload. Its `attempts` count this time too (O8). */
export interface TakenCandidate extends Candidate, LifeFacts {}

/** A taken transaction with its payload, which the caller owns. */
export interface ClaimedTransaction extends TakenCandidate {
  readonly payload: Uint8Array;
  readonly payloadType: number;
}

/** What `extendClaim` answers. */
export type ExtendOutcome =
  | {
      readonly kind: 'extended';
      /** When the claim now ends, in milliseconds since 1970 by the pool's clock. */
      readonly untilMs: number;
      /** How many transactions are still under it. */
      readonly held: number;
    }
  /** Nothing is under the claim any more. */
  | { readonly kind: 'ended' };

/** Transactions that `take` moved to Propagated for one owner, until a time. */
export interface Claim<One = TakenCandidate> {
  /** The operation id of the call: given by the caller, else generated. */
  readonly claimId: string;
  readonly owner: string;
  /**
   * When the claim ends, in milliseconds since 1970 by the pool's clock. A later `sweep` returns what is still
   * Propagated to Pending.
   */
  readonly untilMs: number;
  readonly transactions: readonly One[];
}

/** A claim of a `take` with `payloads`. */
export type ClaimWithPayloads = Claim<ClaimedTransaction | DamagedTransaction>;

/** The hashes that `sweep` changed, by reason; at most 1,000 in all. */
export interface Sweep {
  /** Their claim ended: they are Pending again. */
  readonly returned: readonly string[];
  /** The time that `release` held them back until has come: they are handed out again. */
  readonly woken: readonly string[];
  /** Dropped: they waited too long. */
  readonly expired: readonly string[];
  /** Dropped because the pool was over its limits; only with `overLimits`. */
  readonly evicted: readonly string[];
  /** True if there is more to sweep: call again. */
  readonly more: boolean;
}

/** Options of `since`. */
export interface GossipQuery extends PageQuery {
  /** A page's `next` (O7): start there. Default `origin`, the beginning. */
  readonly after?: string | undefined;
  /** Leave out what this peer sent. */
  readonly except?: string | undefined;
  /** Return no payloads. Default false. */
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

/** A page of transactions to send to peers. */
export interface GossipPage {
  readonly items: readonly GossipItem[];
  /** The damaged records among them, which are passed over (M2). */
  readonly damaged: readonly DamagedRecord[];
  /** The cursor that gets the next page. It also passes what was left out. */
  readonly next: string;
}

/** A transaction whose verdict is older than the height asked for. */
export interface StaleTransaction {
  readonly hash: string;
  readonly seq: number;
  /** The number of its verdict. Give it to `revise`. */
  readonly version: number;
  /** The height of its verdict. */
  readonly checkedHeight: number;
}

/** Options of `stale`. */
export interface StaleQuery extends PageQuery {
  /** Return Pending transactions whose verdict was given below this height. */
  readonly height: number;
}

/** A live transaction of a priority pool, with what its verdict says of sender and tags. */
export interface LiveCandidate extends Candidate {
  readonly stage: LiveStage;
  /** True if it is Pending and waits for a parent, or is held back (P2, P20). */
  readonly parked: boolean;
  readonly sender: string;
  readonly provides: readonly string[];
  readonly requires: readonly string[];
}

/** Options of `bySender`. */
export interface SenderQuery extends PageQuery {
  /** A page's `next`: start there. Default: at the first one. */
  readonly after?: string | undefined;
}

/** The live transactions of one sender (P23). */
export interface SenderPage {
  /** Those that are in flight or Confirmed, by seq; then the Pending ones in the pool's order: the ready ones, the parked ones. */
  readonly transactions: readonly (LiveCandidate & {
    /** Its place among the sender's transactions, as text. Keys compare as text; a key is an `after`. */
    readonly key: string;
  })[];
  /**
   * The sender's gaps: tags that its Pending transactions require, which nothing provides and no block satisfied; at
   * most 1,000. They are those of all its transactions, on every page.
   */
  readonly missing: readonly string[];
  /** The `after` of the next page; `null`: there is none. */
  readonly next: string | null;
}

/** Options of `byTag`. */
export interface TagQuery extends PageQuery {}

/** The live transactions that name a tag (P23). */
export interface TagPage {
  /** True if a block satisfied the tag, and the pool still knows it (P12). */
  readonly satisfied: boolean;
  /** The live transaction that provides it; `null`: none does. */
  readonly provider: LiveCandidate | null;
  /** The live transactions that require it, by seq; at most `limit`. */
  readonly dependents: readonly LiveCandidate[];
  /** True if there are more of these. */
  readonly more: boolean;
}

/** What `dropBySender` dropped. */
export interface SenderDrop {
  /** By seq; at most 1,000. */
  readonly dropped: readonly string[];
  /** True if there is more to drop: call again. */
  readonly more: boolean;
}

/** A new verdict, or a refusal, for a transaction that was validated again. */
export interface Revision {
  readonly hash: string;
  /** The number of the verdict that it replaces. */
  readonly version: number;
  readonly answer: Verdict | Refusal;
}

/** What `revise` answers for one revision. */
export type ReviseOutcome =
  | { readonly kind: 'revised'; readonly hash: string; readonly version: number }
  | { readonly kind: 'dropped'; readonly hash: string }
  /** There is a newer verdict; nothing changed. */
  | { readonly kind: 'superseded'; readonly hash: string; readonly version: number }
  /** The transaction is no longer Pending; nothing changed. */
  | { readonly kind: 'skipped'; readonly hash: string }
  /** The new verdict would exceed a limit; nothing changed. */
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  | { readonly kind: 'cycle'; readonly hash: string };

/** Options of `revise`. */
export interface ReviseOptions extends WriteOptions, CallTime {}

/** The limits that a refusal names. */
export type LimitName = 'maxTxGas' | 'maxParked' | 'maxAncestors' | 'maxDescendants';

/** Why a pool refuses a transaction. Nothing changed. */
export type AdmissionRefusal =
  | { readonly kind: 'limit'; readonly hash: string; readonly limit: LimitName }
  /** It provides a tag of the transaction `with`, which is in flight; `null`: of a transaction in a block. */
  | { readonly kind: 'conflict'; readonly hash: string; readonly with: string | null }
  /**
   * It pays too little to replace the transactions that provide the same tags. `required`: the lowest priority that
   * might suffice; above 2^63 − 1 none does.
   */
  | { readonly kind: 'replacement-underpriced'; readonly hash: string; readonly required: bigint }
  | { readonly kind: 'sender-limit'; readonly hash: string; readonly limit: number }
  /** It would depend on itself. */
  | { readonly kind: 'cycle'; readonly hash: string }
  /** The pool is full. `floor`: what it takes to get in, as in `usage`. A fifo pool has none. */
  | { readonly kind: 'full'; readonly hash: string; readonly floor?: Floor }
  /** The pool accepted only until a time that has come (`acceptUntil`, P27). */
  | { readonly kind: 'closed'; readonly hash: string };

/**
 * The priority that a ready transaction of one byte without parents needs to be admitted now. `open`: any is enough.
 * `at-least`: this one or a higher one. `closed`: none is enough.
 */
export type Floor =
  | { readonly kind: 'open' }
  | { readonly kind: 'at-least'; readonly priority: bigint }
  | { readonly kind: 'closed' };

/** The floor of a pool that admits a priority if it is at least `least`; `null`: it admits none. */
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
  /** Pending transactions that are handed out. Those and the parked ones are all that are Pending. */
  readonly ready: number;
  /** Pending transactions that wait for a parent, are held back, or are below the floor. */
  readonly parked: number;
  /** Those of the parked ones whose effective priority is below the limit `minPriority` (P26). */
  readonly belowFloor: number;
  /** What still fits without an eviction. Negative: the pool is over its limits. `Infinity`: no limit. */
  readonly headroom: { readonly transactions: number; readonly bytes: number };
  /** What a newcomer needs to be admitted now. */
  readonly floor: Floor;
}

/** The verbs that the two orderings share, as far as the backend has them in a fifo pool (P18). */
export interface PoolVerbs {
  /** Selects ready transactions that fit the budget, best first (in a fifo pool oldest first). Changes nothing. */
  reap(budget?: Budget, options?: ReadOptions): Promise<Candidate[]>;
  /**
   * Selects as `reap` does and moves the result to Propagated, claimed by an owner, in one step. A repeated call
   * with the same operation id returns what the claim still holds.
   *
   * @example const claim = await store.take({ maxTxs: 10 }, { owner: 'worker-1', claimMs: 30_000, payloads: true });
   */
  take(budget: Budget, options: TakePayloadsOptions): Promise<ClaimWithPayloads>;
  take(budget: Budget, options: TakeOptions): Promise<Claim>;
  /**
   * Lets a claim end `claimMs` from now, or when it would have ended, if that is later (P19). Call it in time from a
   * worker that needs longer.
   *
   * @example const { kind } = await store.extendClaim(claim.claimId, 30_000); // 'extended'
   */
  extendClaim(claimId: string, claimMs: number, options?: ExtendOptions): Promise<ExtendOutcome>;
  /**
   * Ends claims that are over, hands out again what was held back until now, and drops what waited too long. With
   * `overLimits` it drops what is over the limits, too.
   */
  sweep(options?: SweepOptions): Promise<Sweep>;
  /** Transactions that became ready after this cursor, in that order (in a fifo pool: that arrived after it). */
  since(query?: GossipQuery): Promise<GossipPage>;
  /**
   * The payloads of live transactions, in the order given; `null` for any other hash. A damaged one is
   * `{ kind: 'damaged', hash }` in its place (M2).
   */
  payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | DamagedTransaction | null)[]>;
  /** A page of parked transactions: Pending, but waiting for a parent. Ordered by `seq` (in a fifo pool always empty). */
  peekParked(query?: SeqQuery): Promise<TransactionPage>;
  /** Drops all Pending transactions in one step, with the reason `flushed`. Returns their number. */
  flush(options?: WriteOptions): Promise<number>;
  /** Sets the limits that are given and returns all limits (in a fifo pool only `maxTxs` and `acceptUntil`). It evicts nothing. */
  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits>;
  /**
   * The whole state of the pool in canonical form, for `restore`, tests and diagnosis (D3). It reads everything.
   *
   * @throws `ERR_MEMPOOL_CORRUPT` if a payload or a record is damaged
   */
  dump(options?: ReadOptions): Promise<PoolDump>;
  /**
   * Makes a new, empty pool what another one of the same ordering was when `dump` was called, on any backend (D3). The pool
   * keeps its own epoch: no cursor of the other pool is valid here.
   *
   * @example await target.restore(await source.dump());
   * @throws `ERR_MEMPOOL_UNSUPPORTED` if the backend lacks the capability `restore`
   */
  restore(dump: PoolContent, options?: WriteOptions): Promise<RestoreOutcome>;
}

/** The further verbs of a priority pool (`ordering: 'priority'`). */
export interface PriorityVerbs {
  /** A page of ready transactions, best first. */
  best(query?: BestQuery): Promise<RankedCandidate[]>;
  /** A page of transactions to validate again, the oldest verdict first. */
  stale(query: StaleQuery): Promise<StaleTransaction[]>;
  /**
   * The live transactions of a sender: what is in flight, what is ready and what is parked, with the gaps between them.
   *
   * @example const { transactions, missing } = await store.bySender('0xab…');
   */
  bySender(sender: string, query?: SenderQuery): Promise<SenderPage>;
  /** Who provides a tag and who requires it, such as who spends an output. */
  byTag(tag: string, query?: TagQuery): Promise<TagPage>;
  /** Drops what is live of a sender and not Confirmed, at most 1,000 in one step. */
  dropBySender(sender: string, reason: DropReason, options?: WriteOptions): Promise<SenderDrop>;
  /** Applies new verdicts. */
  revise(revisions: readonly Revision[], options?: ReviseOptions): Promise<ReviseOutcome[]>;
}

/** The state of a pool in canonical form: equal states have deeply equal dumps. */
export interface PoolDump extends DumpedPool, IndexDump {}

/** What a pool's index has. It follows from the content. In a fifo pool there are no entries, tags and senders. */
export interface IndexDump {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly totals: {
    readonly transactions: number;
    readonly bytes: number;
    readonly gas: number;
    readonly parked: number;
  };
  /** Every live and every logged transaction, ordered by hash. */
  readonly entries: readonly DumpedEntry[];
  /** Hashes of all Pending transactions, ready and parked, in the order of the index. */
  readonly order: readonly string[];
  /** For each tag the live transactions that provide it. Tags and hashes are sorted. */
  readonly providers: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** For each tag the live transactions that require it. Tags and hashes are sorted. */
  readonly dependents: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** For each sender but '' the number of transactions that are Pending, Propagated or Acknowledged. */
  readonly senders: readonly (readonly [sender: string, count: number])[];
  /** For each claim the hashes that it holds. Ids and hashes are sorted. */
  readonly claims: readonly (readonly [claimId: string, hashes: readonly string[]])[];
  /** Hashes that have a gossip number, also those that are not sent to peers, ordered by that number. */
  readonly gossip: readonly string[];
  /** Tags that kept blocks satisfied, with the tick of the block. */
  readonly satisfied: readonly (readonly [tag: string, tick: number])[];
}

/** One transaction in a dump. */
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
  readonly claim: { readonly id: string; readonly owner: string; readonly untilMs: number } | null;
  /** Held back until this time (P20), else `null`. */
  readonly notBefore: number | null;
  /** When it was parked, if it was admitted before (P22), else `null`. */
  readonly parkedAt: number | null;
  /** Its sort key if it is Pending, else `null`. */
  readonly place: {
    readonly ready: boolean;
    readonly effectivePriority: bigint;
    readonly tieBreakSeq: number;
    readonly depth: number;
  } | null;
}
