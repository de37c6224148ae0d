import type { Thresholds } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Logger = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** How much history a pool keeps. Stored with the pool; the latest open that names one sets it for all nodes. */
export interface Retention {
  /** Entries of the terminal log. Default 10,000. */
  readonly maxFinalized: number;
  /** Events that can be resumed from, at least. Default 100,000. */
  readonly maxEvents: number;
  /** Blocks that can be undone. Default 2,160. */
  readonly maxRollback: number;
}

export const defaultRetention: Retention = {
  maxFinalized: 10_000,
  maxEvents: 100_000,
  maxRollback: 2_160,
};

/** X2: operation ids whose outcomes are remembered, at least. */
export const maxOperations = 10_000;

/** The options that every backend takes. */
export interface OpenOptions extends Partial<Thresholds>, Partial<Retention>, Partial<Limits> {
  /** Name of the pool, 1–128 printable characters; default `mempool`. */
  readonly pool?: string | undefined;
  /** Largest payload taken, in bytes; default 1 MiB. */
  readonly maxTxBytes?: number | undefined;
  /** How long a call waits for its store before it fails, in milliseconds; default 5,000, at most 24 days (X5). */
  readonly timeoutMs?: number | undefined;
  /** Name of the election whose lease guards the tip, 1–64 of `a–z 0–9 . _ -`; default `watcher` (X6). */
  readonly election?: string | undefined;
  /** `confirm` and `rollback` always need a lease; default false: only while somebody holds one (X6). */
  readonly fenced?: boolean | undefined;
  /** The order of the pool, for good once it is made; default `fifo`, by arrival. */
  readonly ordering?: Ordering | undefined;
  /** Milliseconds since 1970, for expiry and leases; default: the store's own clock, else this machine's. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds that only rise; default `performance.now()`. */
  readonly clock?: (() => number) | undefined;
  /** Receives warnings; silent by default. */
  readonly log?: Logger | undefined;
}
