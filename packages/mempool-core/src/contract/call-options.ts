import type { Lease } from './lease.ts';

/** Options of a verb that reads. */
export interface ReadOptions {
  /** If it aborts while the call waits, the call rejects with the signal's reason (R3). */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a verb that changes the pool. */
export interface WriteOptions extends ReadOptions {
  /**
   * An idempotency key, 1–128 printable ASCII characters. A second call with the same id changes nothing and returns the
   * outcome of the first one. The pool keeps at least the last 10,000 ids (X2). An id is bound to the arguments of its
   * first call: with others it is refused.
   */
  readonly operationId?: string | undefined;
}

/** Options of a verb that a worker calls for what it has taken: `markAcknowledged`, `release` and `drop`. */
export interface ClaimOptions extends WriteOptions {
  /**
   * The id of a claim. The call passes over each transaction that is not, or no longer, under it (P19). So a worker that
   * was stopped past the end of its claim changes nothing that another has taken since.
   */
  readonly claim?: string | undefined;
}

/** Options of `drop`. */
export interface DropOptions extends ClaimOptions {
  /**
   * Also drop what depends on those that the call drops, for the same reason, in the same step (P23). With a `claim`, what
   * is in flight under no or another claim stays, and so does what depends on it alone. Priority pools only.
   */
  readonly descendants?: boolean | undefined;
}

/** Options of `release`. */
export interface ReleaseOptions extends ClaimOptions {
  /**
   * Hold the transactions back until this time, in milliseconds since 1970 by the pool's clock (P20). They are Pending,
   * but not handed out before the first `take` or `sweep` at that time or later.
   */
  readonly notBeforeMs?: number | undefined;
}

/** Options of the verbs that move the tip: `confirm` and `rollback`. */
export interface ChainOptions extends WriteOptions {
  /**
   * The leader's lease (X6). The outcome is `fenced` unless this is the live lease of the pool's election. A call without a
   * lease is `fenced` while any node holds the lease, and always if the pool was opened with `fenced: true`.
   */
  readonly lease?: Lease | undefined;
}

/** Options of a verb that reads a page. */
export interface PageQuery extends ReadOptions {
  /** The most entries wanted, clamped to 1–1,000; default 100. A page also ends at 8 MiB of payloads (O6). */
  readonly limit?: number | undefined;
}

/** Options of a verb that reads a page in the order of `seq`. */
export interface SeqQuery extends PageQuery {
  /** A page's `next` (O7): start there. Default `origin`, the beginning. */
  readonly after?: string | undefined;
}

/** Options of `dumpFinalized`. */
export interface LogQuery extends PageQuery {
  /** A page's `cursor` (O7): start there. Default `origin`, the oldest entry kept. */
  readonly cursor?: string | undefined;
}

/** Options of `subscribe`. */
export interface SubscribeOptions extends ReadOptions {
  /**
   * The `cursor` of an event (O7): resume after it. `origin`: begin with the oldest event kept. Without it the stream
   * begins at the moment of the call.
   */
  readonly after?: string | undefined;
}

/** Options of `tip`. */
export interface TipOptions extends ReadOptions {
  /** How many of the last applied points to return; default 0. */
  readonly points?: number | undefined;
}

/** A value, or a promise of it: a driver that need not wait answers at once. */
export type Awaitable<T> = T | Promise<T>;

/** What a driver learns of a reading call beside its arguments. */
export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

/** What a driver learns of a writing call beside its arguments. */
export interface WriteContext extends ReadContext {
  /**
   * If given: record the outcome under this id in the same atomic step, and answer a repeated call from the record
   * (X2).
   */
  readonly operationId: string | undefined;
  /**
   * With an operation id: 16 bytes that stand for the call's arguments. Record them with the outcome, and refuse a
   * repeat with others. `recorded`, `encodeOutcome` and `decodeOutcome` do that.
   */
  readonly digest?: Uint8Array | undefined;
}

/** What a driver learns of `move` and `drop` beside their arguments. A driver without `extendClaim` gets neither field. */
export interface ClaimContext extends WriteContext {
  /** Change only what is under the claim with this id (P19). */
  readonly claim?: string;
  /** Of `release`: hold the transactions back until this time (P20). */
  readonly notBeforeMs?: number;
  /** Of `drop` in a priority pool: drop the descendants, too (P23). */
  readonly descendants?: true;
}

/** What a driver learns of a call that moves the tip (X6). */
export interface ChainContext extends WriteContext {
  /** `null` if the caller gave no lease. */
  readonly lease: Lease | null;
}
