import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';

/**
 * An error that is neither ours nor the caller's own abort is the backend's fault: it keeps the cause, gains a code
 * (R1).
 */
export function inContract(error: unknown, signal?: AbortSignal): unknown {
  if (isMempoolError(error) || (signal?.aborted && error === signal.reason)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message, { cause: error });
}

/** What the backend fails with, in the contract's words. */
export async function settle<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw inContract(error);
  }
}

export function unsupported(message: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNSUPPORTED', message);
}

export function noLeases(name: string): MempoolError {
  return unsupported(`the backend ${name} checks no leases`);
}
