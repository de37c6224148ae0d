import type { Lease } from './lease.ts';

export interface ReadOptions {
  /** Ends a waiting call with the signal's own reason (R3). */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends ReadOptions {
  /**
   * Names this call, 1–128 characters: a repeat changes nothing and returns the recorded outcome, for at least the last
   * 10,000 ids (X2). An id belongs to one call with one set of arguments.
   */
  readonly operationId?: string | undefined;
}

/** Of the verbs that move the tip. */
export interface ChainOptions extends WriteOptions {
  /**
   * The leader's lease (X6): the call is `fenced` unless it is the live one of the pool's election. Without it a call is
   * `fenced` while anybody holds a lease, and always where the pool was opened with `fenced: true`.
   */
  readonly lease?: Lease | undefined;
}

export interface PageQuery extends ReadOptions {
  /** Entries at the most, clamped to 1…1,000; default 100. A page also ends at 8 MiB (O6). */
  readonly limit?: number | undefined;
}

export interface SeqQuery extends PageQuery {
  /** Start behind this seq; default 0. */
  readonly after?: number | undefined;
}

export interface LogQuery extends PageQuery {
  /** First `logSeq` wanted; 0 = the oldest there is. */
  readonly cursor?: number | undefined;
}

export interface SubscribeOptions extends ReadOptions {
  /** Resume behind this `eventSeq`; without it the stream begins at the moment of the call. */
  readonly after?: number | undefined;
}

export interface TipOptions extends ReadOptions {
  /** How many of the last applied points to list; default 0. */
  readonly points?: number | undefined;
}
