import type { Thresholds } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';
import type { Observer } from './observer.ts';
import type { Validate } from './validation.ts';

/** The levels of a `Logger`. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** Receives log entries. `fields` is structured data for the entry. */
export type Logger = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * How much history a pool keeps. The values are stored with the pool and hold for all nodes. An open changes the values
 * that it names.
 */
export interface Retention {
  /** Entries kept in the terminal log. Default 10,000. */
  readonly maxFinalized: number;
  /** Number of latest events that are always kept, so that a reader can resume. Default 100,000. */
  readonly maxEvents: number;
  /** Blocks that `rollback` can undo. Default 2,160. */
  readonly maxRollback: number;
}

/** The default retention of a pool. */
export const defaultRetention: Retention = {
  maxFinalized: 10_000,
  maxEvents: 100_000,
  maxRollback: 2_160,
};

/** The number of latest operation ids whose outcomes are always kept (X2). */
export const maxOperations = 10_000;

/** The default of `inflightTtlMs`: 24 hours (L14). */
export const defaultInflightTtlMs = 86_400_000;

/** Calls `callback` once after `delayMs` milliseconds. Returns a function that cancels the call. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** The options that every backend takes. */
export interface OpenOptions<O extends Ordering = Ordering>
  extends Partial<Thresholds>,
    Partial<Retention>,
    Partial<Limits> {
  /** Name of the pool, 1–128 printable characters; default `mempool`. */
  readonly pool?: string | undefined;
  /** The largest payload accepted, in bytes; default 1 MiB. */
  readonly maxTxBytes?: number | undefined;
  /** How long a call waits for its store, in milliseconds, before it fails; default 5,000, at most 24 days (X5). */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a transaction may be Propagated or Acknowledged, in milliseconds. After that, a sweep drops it with the reason
   * `stale` (L14). `Infinity` means no limit; default 24 hours.
   */
  readonly inflightTtlMs?: number | undefined;
  /** The election whose lease guards the tip: 1–64 characters of `a–z 0–9 . _ -`; default `watcher` (X6). */
  readonly election?: string | undefined;
  /** If true, `confirm` and `rollback` always need a lease. If false, they need one while a node has it (X6). Default false. */
  readonly fenced?: boolean | undefined;
  /** The order of the pool, fixed when it is made; default `fifo`. */
  readonly ordering?: O | undefined;
  /**
   * The clock for expiry and claims, in milliseconds since 1970; fractions are cut off. Default: the store's clock, or this
   * machine's clock if the store has none.
   */
  readonly now?: (() => number) | undefined;
  /** A monotonic clock in milliseconds, for timeouts; default `performance.now()`. */
  readonly clock?: (() => number) | undefined;
  /** Receives warnings. Without it nothing is logged. */
  readonly log?: Logger | undefined;
  /** The application's validation of new transactions. By default, all are accepted. */
  readonly validate?: Validate | undefined;
  /** How many refused transactions are remembered, so that they are not validated again; default 10,000. */
  readonly maxInvalid?: number | undefined;
  /** How long a refused transaction is remembered, in milliseconds; default 60,000. 0 turns this off. */
  readonly keepInvalidMs?: number | undefined;
  /** The most transactions that single calls share, 1–1,000; default 128 (O6). */
  readonly maxBatch?: number | undefined;
  /** The most payload bytes that single calls share; default 4 MiB (O6). */
  readonly maxBatchBytes?: number | undefined;
  /** The most calls that may wait; default 100,000 (O6). */
  readonly maxQueued?: number | undefined;
  /**
   * Milliseconds between two automatic sweeps; default 1,000. `Infinity` turns them off, so only calls of `sweep` sweep. A
   * sweep ends claims whose time is over, wakes held transactions and drops those that waited too long. It is left out if
   * the pool has no such transactions.
   */
  readonly sweepEveryMs?: number | undefined;
  /** The timer of `sweepEveryMs`; default: a timer that does not keep the process alive. */
  readonly schedule?: Schedule | undefined;
  /** Returns the chain's height for calls that do not give one; default: the number of blocks applied. */
  readonly height?: (() => number) | undefined;
  /** Called after each call of the pool has ended, with its verb, outcome, duration, batch size and the queue lengths. */
  readonly observer?: Observer | undefined;
}
