import type {
  DropReason,
  Limits,
  MempoolEvent,
  ReceiveOutcome,
  RollbackOutcome,
  RollbackTarget,
  TipAnswer,
  TransactionStatus,
  Usage,
  WaitStage,
} from 'mempool-core';

/** The type of an answer after `toJsonValue`: a bigint is a string, bytes are base64, and a number may be `"never"` for no limit. */
export type Told<T> = T extends bigint | Uint8Array
  ? string
  : T extends readonly (infer One)[]
    ? readonly Told<One>[]
    : T extends object
      ? { readonly [F in keyof T]: Told<T[F]> }
      : T;

/** The lists that `ls` shows. */
export const lists = ['pending', 'parked', 'inflight', 'final', 'best'] as const;
/** One of `lists`. */
export type List = (typeof lists)[number];

/** One row of a list. Its fields depend on the list. */
export type Row = { readonly hash: string } & Readonly<Record<string, unknown>>;

/** A transaction to submit. */
export interface GivenTransaction {
  /** The hash; `null` if it is to be computed from the payload, by the configuration. */
  readonly hash: string | null;
  readonly payload: Uint8Array;
  readonly payloadType: number | undefined;
}

/** Options of a call. */
export interface CallOptions {
  readonly signal: AbortSignal;
}

/** Options of a call that changes the pool. */
export interface ChangeOptions extends CallOptions {
  readonly operationId?: string | undefined;
}

/** The result of a wait. */
export interface Awaited {
  readonly kind: 'reached' | 'dropped' | 'timeout';
  readonly status: Told<TransactionStatus>;
}

/** Options of a wait. */
export interface AwaitOptions extends CallOptions {
  readonly stage: WaitStage;
  readonly timeoutMs: number;
}

/** Options of a stream of events. */
export interface EventOptions extends CallOptions {
  /** Deliver only events of these transactions; if empty, all events. */
  readonly hashes: readonly string[];
  /** The cursor to resume after. */
  readonly after: string;
}

/** An event after `toJsonValue`. */
export type ToldEvent = Told<MempoolEvent>;

/** The verbs that change the transactions that a command names, and the words for transactions that changed. */
export const doneWords = { drop: 'dropped', complete: 'completed', release: 'released' } as const;
export type ChangeVerb = keyof typeof doneWords;

/** The pool that a command works on: a store, or a server. Rejects with `Failure` or `MempoolError`. */
export interface Target extends AsyncDisposable {
  submit(transaction: GivenTransaction, options: ChangeOptions): Promise<Told<ReceiveOutcome>>;
  status(hash: string, options: CallOptions): Promise<Told<TransactionStatus>>;
  waitFor(hash: string, options: AwaitOptions): Promise<Awaited>;
  list(list: List, options: CallOptions): AsyncIterable<Row>;
  events(options: EventOptions): AsyncIterable<ToldEvent>;
  tip(points: number, options: CallOptions): Promise<Told<TipAnswer>>;
  usage(options: CallOptions): Promise<Told<Usage>>;
  /** Drops transactions. Returns the hashes that it dropped. */
  drop(hashes: readonly string[], reason: DropReason, options: ChangeOptions): Promise<readonly string[]>;
  /** Completes transactions. Returns the hashes that it completed. */
  complete(hashes: readonly string[], options: ChangeOptions): Promise<readonly string[]>;
  /** Releases transactions, and holds them back until `notBeforeMs`. Returns the hashes that it released. */
  release(
    hashes: readonly string[],
    options: ChangeOptions & { readonly notBeforeMs?: number | undefined },
  ): Promise<readonly string[]>;
  rollback(target: RollbackTarget, options: ChangeOptions): Promise<Told<RollbackOutcome>>;
  limits(options: CallOptions): Promise<Told<Limits>>;
  /** Sets the given limits, and returns all. */
  setLimits(limits: Partial<Limits>, options: ChangeOptions): Promise<Told<Limits>>;
}
