import { maxCallTransactions } from '../boundary/arguments.ts';
import { longestTimerMs } from '../boundary/open-options.ts';
import { checkNames } from '../boundary/option-names.ts';
import { invalid } from '../contract/errors.ts';
import type { Logger } from '../contract/options.ts';
import type { CallTime } from '../contract/pool-verbs.ts';
import type { QueueLimits } from './call-queue.ts';
import type { Observer } from './observer.ts';
import type { Validate } from './validation.ts';

/** Calls `callback` once after `delayMs` milliseconds. Returns a function that cancels the call. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** A timer that does not keep the process alive. */
const backgroundTimer: Schedule = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};

/** Options of `Mempool`. */
export interface MempoolOptions {
  /** The largest payload accepted, in bytes; default 1 MiB. Set it to the store's own limit. */
  readonly maxTxBytes?: number | undefined;
  /** The most transactions in one store call, 1–1,000; default 128. */
  readonly maxBatch?: number | undefined;
  /** The most payload bytes in one store call; default 4 MiB (O6). */
  readonly maxBatchBytes?: number | undefined;
  /** The most calls that may wait; default 100,000 (O6). */
  readonly maxQueued?: number | undefined;
  /** The application's validation of new transactions. By default, all are accepted. */
  readonly validate?: Validate | undefined;
  /** How many refused transactions are remembered, so that they are not validated again; default 10,000. */
  readonly maxInvalid?: number | undefined;
  /** How long a refused transaction is remembered, in milliseconds; default 60,000. 0 turns this off. */
  readonly keepInvalidMs?: number | undefined;
  /**
   * Milliseconds between two automatic sweeps; default 1,000. 0 turns them off, so only calls of `sweep` sweep. A sweep ends
   * claims whose time is over, wakes held transactions and drops those that waited too long. It is left out if the pool has
   * no such transactions.
   */
  readonly sweepEveryMs?: number | undefined;
  /** Returns the chain's height for calls that do not give one; default: the number of blocks applied. */
  readonly height?: (() => number) | undefined;
  /** A monotonic clock in milliseconds; default `performance.now()`. */
  readonly clock?: (() => number) | undefined;
  /** The timer of `sweepEveryMs`; default: a timer that does not keep the process alive. */
  readonly schedule?: Schedule | undefined;
  /** Called after each call of the pool has ended, with its verb, outcome, duration, batch size and the queue lengths. */
  readonly observer?: Observer | undefined;
  /** Receives warnings; silent by default. */
  readonly log?: Logger | undefined;
}

export interface ResolvedMempoolOptions extends QueueLimits {
  readonly maxTxBytes: number;
  readonly validate: Validate | null;
  readonly maxInvalid: number;
  readonly keepInvalidMs: number;
  readonly sweepEveryMs: number;
  readonly height: (() => number) | null;
  readonly clock: () => number;
  readonly schedule: Schedule;
  readonly observer: Observer | null;
  readonly log: Logger;
}

/** The names of the options of `Mempool`. */
export const mempoolNames: ReadonlySet<string> = new Set([
  'maxTxBytes',
  'maxBatch',
  'maxBatchBytes',
  'maxQueued',
  'validate',
  'maxInvalid',
  'keepInvalidMs',
  'sweepEveryMs',
  'height',
  'clock',
  'schedule',
  'observer',
  'log',
] satisfies (keyof MempoolOptions)[]);

/** Checks that the value is a store, because callers may forget an `await`. @throws `ERR_MEMPOOL_INVALID` naming `store` */
export function checkStore(store: unknown): void {
  const given = Object(store) as { readonly then?: unknown; readonly receive?: unknown };
  if (typeof given.then === 'function') throw invalid('store', 'an open store, not a promise of one: await it first');
  if (typeof given.receive !== 'function') throw invalid('store', 'an open store');
}

/** Checks the options and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolveMempoolOptions(options: MempoolOptions): ResolvedMempoolOptions {
  const { validate, height, observer } = checkNames('options', options, mempoolNames);
  return {
    maxTxBytes: count('maxTxBytes', options.maxTxBytes ?? 1_048_576, 1, Number.MAX_SAFE_INTEGER),
    maxBatch: count('maxBatch', options.maxBatch ?? 128, 1, maxCallTransactions),
    maxBatchBytes: count('maxBatchBytes', options.maxBatchBytes ?? 4_194_304, 1, Number.MAX_SAFE_INTEGER),
    maxQueued: count('maxQueued', options.maxQueued ?? 100_000, 1, Number.MAX_SAFE_INTEGER),
    validate: validate === undefined ? null : callable('validate', validate),
    maxInvalid: count('maxInvalid', options.maxInvalid ?? 10_000, 1, Number.MAX_SAFE_INTEGER),
    keepInvalidMs: count('keepInvalidMs', options.keepInvalidMs ?? 60_000, 0, Number.MAX_SAFE_INTEGER),
    sweepEveryMs: count('sweepEveryMs', options.sweepEveryMs ?? 1_000, 0, longestTimerMs),
    height: height === undefined ? null : callable('height', height),
    clock: callable('clock', options.clock ?? (() => performance.now())),
    schedule: callable('schedule', options.schedule ?? backgroundTimer),
    observer: observer === undefined ? null : callable('observer', observer),
    log: callable('log', options.log ?? (() => undefined)),
  };
}

/** Returns the time and height of a call. If the call's options have no height, the pool's option `height` supplies it. */
export function callTime(options: CallTime | undefined, pool: Pick<ResolvedMempoolOptions, 'height'>): CallTime {
  const { now, height } = options ?? {};
  return { now, height: height ?? pool.height?.() };
}

function count(field: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw invalid(field, `a whole number from ${min} to ${max}`);
  return value;
}

function callable<F extends (...given: never[]) => unknown>(field: string, value: F): F {
  if (typeof value !== 'function') throw invalid(field, 'a function');
  return value;
}
