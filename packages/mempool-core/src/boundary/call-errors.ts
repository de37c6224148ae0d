import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';

/**
 * Returns the error to reject a call with (R1). An error of this library and the caller's abort reason stay as they
 * are. Any other error is a fault of the backend: it becomes the `cause` of an `ERR_MEMPOOL_INTERNAL`.
 */
export function inContract(error: unknown, signal?: AbortSignal): unknown {
  if (isMempoolError(error) || (signal?.aborted && error === signal.reason)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message, { cause: error });
}

/** Runs a function of the backend. @throws the error that `inContract` makes of the backend's error */
export async function settle<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw inContract(error);
  }
}

/** An `ERR_MEMPOOL_UNSUPPORTED` error. */
export function unsupported(message: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNSUPPORTED', message);
}

/** The error for a lease that is given to a backend without leases. */
export function noLeases(name: string): MempoolError {
  return unsupported(`the backend ${name} does not support leases`);
}
