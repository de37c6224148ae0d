import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';

/**
 * Returns the error to reject a call with (R1). Errors of this library and the caller's abort reason are returned
 * unchanged. Any other error is a fault of the backend, so it becomes the `cause` of an `ERR_MEMPOOL_INTERNAL`.
 */
export function inContract(error: unknown, signal?: AbortSignal): unknown {
  if (isMempoolError(error) || (signal?.aborted && error === signal.reason)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message, { cause: error });
}

/** Runs a function of the backend. @throws the backend's error, converted by `inContract` */
export async function settle<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw inContract(error);
  }
}

/** Returns an `ERR_MEMPOOL_UNSUPPORTED` error. */
export function unsupported(message: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNSUPPORTED', message);
}

/** Returns the error for a lease that is given to a backend without leases, `ERR_MEMPOOL_UNSUPPORTED`. */
export function noLeases(name: string): MempoolError {
  return unsupported(`the backend ${name} does not support leases`);
}
