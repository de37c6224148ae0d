import { maxCallTransactions } from './arguments.ts';
import type { QueueLimits } from './call-queue.ts';
import { invalid } from './errors.ts';
import type { Validate } from './validation.ts';

export interface MempoolOptions {
  /** Largest payload taken, in bytes; default 1 MiB. Give the store's own. */
  readonly maxTxBytes?: number | undefined;
  /** Transactions in one store call at the most, 1–1,000; default 128. */
  readonly maxBatch?: number | undefined;
  /** Payload bytes in one store call at the most; default 4 MiB (O6). */
  readonly maxBatchBytes?: number | undefined;
  /** Calls that may wait for their turn; default 100,000 (O6). */
  readonly maxQueued?: number | undefined;
  /** The application's check of new transactions; without it all are taken. */
  readonly validate?: Validate | undefined;
}

export interface ResolvedMempoolOptions extends QueueLimits {
  readonly maxTxBytes: number;
  readonly validate: Validate | undefined;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolveMempoolOptions(options: MempoolOptions): ResolvedMempoolOptions {
  const { maxTxBytes = 1_048_576, maxBatch = 128, maxBatchBytes = 4_194_304, maxQueued = 100_000, validate } = options;
  if (validate !== undefined && typeof validate !== 'function') throw invalid('validate', 'a function');
  return {
    maxTxBytes: count('maxTxBytes', maxTxBytes, Number.MAX_SAFE_INTEGER),
    maxBatch: count('maxBatch', maxBatch, maxCallTransactions),
    maxBatchBytes: count('maxBatchBytes', maxBatchBytes, Number.MAX_SAFE_INTEGER),
    maxQueued: count('maxQueued', maxQueued, Number.MAX_SAFE_INTEGER),
    validate,
  };
}

function count(field: string, value: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > max) throw invalid(field, `a whole number of 1–${max}`);
  return value;
}
