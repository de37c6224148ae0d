import { hostname } from 'node:os';
import { checkRead } from '../boundary/arguments.ts';
import { longestTimerMs } from '../boundary/open-options.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkTake } from '../boundary/pool-arguments.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import type { DropReason } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { ClaimedTransaction } from '../contract/pool-verbs.ts';

/** The context of a handler call, passed in addition to the transaction. */
export interface WorkContext {
  /**
   * Aborts when the handler should stop, because the signal of `work` aborted, the claim is lost, or the pool closed. From
   * then on, another worker may handle the same transaction.
   */
  readonly signal: AbortSignal;
  /** How often the transaction was sent, including this attempt. */
  readonly attempt: number;
}

/**
 * Handles one transaction, such as by sending it to a node. If it returns, the transaction is acknowledged or completed
 * (`onSuccess`). If it throws, there is another attempt later, or the transaction is dropped as `failed` after the last attempt. If it throws
 * an `UnrecoverableError`, the transaction is dropped at once. A transaction may be handled more than once (P21).
 */
export type WorkHandler = (transaction: ClaimedTransaction, context: WorkContext) => unknown;

/**
 * The error that a handler of `work` throws if another attempt is useless. The transaction is then dropped at once, if it
 * is still under the worker's claim.
 * @example throw new UnrecoverableError('bad signature', { reason: { app: 'bad signature' } });
 */
export class UnrecoverableError extends Error {
  override readonly name: string = unrecoverable;
  /** The reason of the drop; default `failed`. If an `app` has not 1–256 characters, `work` rejects with `ERR_MEMPOOL_INVALID`. */
  readonly reason: FinalReason;

  constructor(message?: string, options: UnrecoverableOptions = {}) {
    super(message, options);
    this.reason = options.reason ?? 'failed';
  }
}

/** The reason with which `work` drops a transaction: `failed`, or the application's own reason. */
export type FinalReason = Exclude<DropReason, string> | 'failed';

/** Options of an `UnrecoverableError`. */
export interface UnrecoverableOptions extends ErrorOptions {
  /** Why the transaction is dropped. Default: `failed`. */
  readonly reason?: FinalReason | undefined;
}

const unrecoverable = 'UnrecoverableError';

/** Returns the reason to drop a transaction at once after its handler threw `error`; `null` if another attempt may follow. */
export function finalReason(error: unknown): FinalReason | null {
  // By its name: an application may have two copies of this package.
  if (!(error instanceof Error) || error.name !== unrecoverable) return null;
  return (error as Partial<UnrecoverableError>).reason ?? 'failed';
}

/** Options of `work`. */
export interface WorkOptions extends ReadOptions {
  /** The name of this worker, 1–128 printable characters; default: host name and process id. */
  readonly owner?: string | undefined;
  /** The most transactions handled at the same time, 1–1,000; default 16. */
  readonly concurrency?: number | undefined;
  /**
   * How long a claim lasts, in milliseconds, at least 100; default 30,000. The worker extends it while the handler runs. If
   * the worker dies, its transactions return to Pending after this time.
   */
  readonly claimMs?: number | undefined;
  /**
   * The verb that is called for a transaction when its handler has returned. `acknowledge`: it waits for a block.
   * `complete`: it becomes Finalized, for work that no block confirms (L15). Default `acknowledge`.
   */
  readonly onSuccess?: 'acknowledge' | 'complete' | undefined;
  /** How often a transaction is sent before it is dropped as `failed`; default 10. `Infinity` means no limit. */
  readonly attempts?: number | undefined;
  /**
   * How long a transaction is held back after a failed attempt, in milliseconds. Default: 1 s after the first attempt,
   * then twice as long each time, up to 5 minutes.
   */
  readonly backoff?: ((attempt: number, error: unknown) => number) | undefined;
}

/** The result of `work`: numbers of transactions. */
export interface WorkDone {
  readonly acknowledged: number;
  readonly completed: number;
  /** Released for another attempt, or because the work ended. */
  readonly released: number;
  /** Dropped after the last attempt, or because of an `UnrecoverableError`. */
  readonly failed: number;
  /** Not answered, because their claim had ended. Another worker may have them. */
  readonly lost: number;
}

export interface ResolvedWorkOptions {
  readonly owner: string;
  readonly concurrency: number;
  readonly claimMs: number;
  readonly attempts: number;
  readonly onSuccess: 'acknowledge' | 'complete';
  readonly backoff: (attempt: number, error: unknown) => number;
  readonly signal: AbortSignal | undefined;
}

const maxConcurrency = 1_000;
/** A shorter claim could not be extended in time. */
const shortestClaimMs = 100;
const firstBackoffMs = 1_000;
const longestBackoffMs = 300_000;

/** Checks the options and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolveWorkOptions(handler: WorkHandler, options: WorkOptions = {}): ResolvedWorkOptions {
  if (typeof handler !== 'function') throw invalid('handler', 'a function');
  const { signal } = checkRead(options, callNames.work);
  const { owner = thisProcess(), concurrency = 16, claimMs = 30_000 } = options;
  const { onSuccess = 'acknowledge', attempts = 10, backoff = doubling } = options;
  checkTake({ owner, claimMs });
  if (claimMs < shortestClaimMs || claimMs > longestTimerMs)
    throw invalid('claimMs', `a whole number from ${shortestClaimMs} to ${longestTimerMs}`);
  if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency)
    throw invalid('concurrency', `a whole number from 1 to ${maxConcurrency}`);
  if (attempts !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(attempts) || attempts < 1))
    throw invalid('attempts', 'a whole number of at least 1, or Infinity');
  if (onSuccess !== 'acknowledge' && onSuccess !== 'complete') throw invalid('onSuccess', 'acknowledge or complete');
  if (typeof backoff !== 'function') throw invalid('backoff', 'a function');
  return { owner, concurrency, claimMs, attempts, onSuccess, backoff, signal };
}

/** Returns the result of `backoff`. @throws `ERR_MEMPOOL_INVALID` if it is no duration */
export function checkBackoff(ms: number): number {
  if (typeof ms !== 'number' || !(ms >= 0) || ms > Number.MAX_SAFE_INTEGER / 2)
    throw invalid('backoff', 'a function that returns a number of milliseconds');
  return Math.ceil(ms);
}

function doubling(attempt: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt - 1, 30));
}

function thisProcess(): string {
  const host = hostname().replaceAll(/[^\x21-\x7e]/g, '-');
  return `${host.slice(0, 100)}:${process.pid}`;
}
