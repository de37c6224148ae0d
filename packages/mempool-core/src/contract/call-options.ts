import type { Lease } from './lease.ts';

/** Options of a verb that reads. */
export interface ReadOptions {
  /** If the signal aborts while the call waits, the call rejects with the signal's reason (R3). */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a verb that changes the pool. */
export interface WriteOptions extends ReadOptions {
  /**
   * An idempotency key, 1–128 printable ASCII characters. A second call with the same id changes nothing and returns the
   * outcome of the first one. The pool keeps at least the last 10,000 ids (X2). A call with a used id but with other
   * arguments is refused.
   */
  readonly operationId?: string | undefined;
}

/** Options of the verbs that a worker calls for transactions it has taken: `markAcknowledged`, `complete`, `release` and `drop`. */
export interface ClaimOptions extends WriteOptions {
  /**
   * The id of a claim. The call skips each transaction that is not under this claim (P19). So a worker that was paused
   * until after its claim ended cannot change transactions that another worker has taken since.
   */
  readonly claim?: string | undefined;
}

/** Options of `drop`. */
export interface DropOptions extends ClaimOptions {
  /**
   * Also drop the descendants of the dropped transactions, with the same reason, in the same step (P23). With a `claim`, a
   * descendant in flight that is not under that claim stays, and so do those that depend only on it. Priority pools only.
   */
  readonly descendants?: boolean | undefined;
}

/** Options of `release`. */
export interface ReleaseOptions extends ClaimOptions {
  /**
   * Hold the transactions back until this time, in milliseconds since 1970 by the pool's clock (P20). They are Pending, but
   * no `take` returns them before then. The first `take` or `sweep` at that time or later wakes them.
   */
  readonly notBeforeMs?: number | undefined;
}

/** Options of the verbs that move the tip: `confirm` and `rollback`. */
export interface ChainOptions extends WriteOptions {
  /**
   * The leader's lease (X6). The outcome is `fenced` unless this is the live lease of the pool's election. The outcome of a
   * call without a lease is `fenced` while any node holds the lease, and always if the pool was opened with `fenced: true`.
   */
  readonly lease?: Lease | undefined;
}

/** Options of a verb that reads a page. */
export interface PageQuery extends ReadOptions {
  /** The maximum number of entries, clamped to 1–1,000; default 100. A page also ends at 8 MiB of payloads (O6). */
  readonly limit?: number | undefined;
}

/** Options of a verb that reads a page in the order of `seq`. */
export interface SeqQuery extends PageQuery {
  /** The cursor to start at: `next` of the page before (O7). Default `origin`, the beginning. */
  readonly after?: string | undefined;
}

/** Options of `dumpFinalized`. */
export interface LogQuery extends PageQuery {
  /** The cursor to start at: `cursor` of the page before (O7). Default `origin`, the oldest entry kept. */
  readonly cursor?: string | undefined;
}

/** Options of `subscribe`. */
export interface SubscribeOptions extends ReadOptions {
  /**
   * The `cursor` of the event to resume after (O7). `origin` begins with the oldest event kept. By default the stream has
   * only events after this call.
   */
  readonly after?: string | undefined;
  /**
   * Deliver only the events of these transactions, and `lagged`. Default: all events. Without `hashes` the stream has the
   * events of blocks too.
   */
  readonly hashes?: readonly string[] | undefined;
}

/** Options of `tip`. */
export interface TipOptions extends ReadOptions {
  /** How many of the last applied points to return; default 0. */
  readonly points?: number | undefined;
}

/** A value, or a promise of it. A driver that need not wait returns the value itself. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` with the answer. A synchronous answer is not awaited, because in memory an await costs as much as the call. */
export function after<A, B>(answer: Awaitable<A>, next: (answer: A) => Awaitable<B>): Awaitable<B> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

/** The context of a reading call, which a driver receives in addition to the arguments. */
export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

/** What a driver learns of a call that reads payloads. */
export interface PayloadContext extends ReadContext {
  /** If true, the driver may return its own bytes instead of copies (P32). It must never change them afterwards. */
  readonly view?: boolean | undefined;
}

/** The context of a writing call, which a driver receives in addition to the arguments. */
export interface WriteContext extends ReadContext {
  /**
   * If given, record the outcome under this id in the same atomic step, and answer a repeated call from the record (X2).
   */
  readonly operationId: string | undefined;
  /**
   * A digest of the call's arguments, 16 bytes; given if `operationId` is. Record it with the outcome, and refuse a repeat
   * whose digest differs. `recorded`, `encodeOutcome` and `decodeOutcome` do that.
   */
  readonly digest?: Uint8Array | undefined;
}

/** The context of `move` and `drop`. A driver without `extendClaim` receives neither `claim` nor `notBeforeMs`. */
export interface ClaimContext extends WriteContext {
  /** Change only transactions under the claim with this id (P19). */
  readonly claim?: string;
  /** For `release`: hold the transactions back until this time, in milliseconds since 1970 (P20). */
  readonly notBeforeMs?: number;
  /** For `drop` in a priority pool: also drop the descendants (P23). */
  readonly descendants?: true;
  /** For `drop`: drop only those that are Pending with the seq in the same place of this list (M2). */
  readonly pendingSeqs?: readonly number[];
}

/** The context of a call that moves the tip (X6). */
export interface ChainContext extends WriteContext {
  /** `null` if the caller gave no lease. */
  readonly lease: Lease | null;
}
