/**
 * Every code a store may fail with (R1). Expected outcomes (`duplicate`, `gap` …) are values, not errors.
 */
export type MempoolErrorCode =
  /** An argument is wrong; the message names the field. Nothing was written (M2). */
  | 'ERR_MEMPOOL_INVALID'
  /** The configuration is wrong; the message names the field. */
  | 'ERR_MEMPOOL_CONFIG'
  /** The store could not be reached in time and nothing was sent (X5). */
  | 'ERR_MEMPOOL_UNAVAILABLE'
  /** The store took the call but its answer was lost; repeat with the same operation id (X5). */
  | 'ERR_MEMPOOL_OUTCOME_UNKNOWN'
  /** Too many callers are waiting (O6). */
  | 'ERR_MEMPOOL_BUSY'
  /** Memory, disk or a file-size limit is used up; nothing was changed (M3). */
  | 'ERR_MEMPOOL_STORE_FULL'
  /** The store is closed (R2). */
  | 'ERR_MEMPOOL_CLOSED'
  /** A record read back is damaged; `details` name its hash and seq (M2). */
  | 'ERR_MEMPOOL_CORRUPT'
  /** What is stored has another format or kind than this version reads (N2). */
  | 'ERR_MEMPOOL_INCOMPATIBLE'
  /** The store refused the credentials, or its own were not accepted here. */
  | 'ERR_MEMPOOL_AUTH'
  /** The credentials lack a right; the message names the command. */
  | 'ERR_MEMPOOL_PERMISSION'
  /** The store takes no writes: a replica, a file opened without the right to write. */
  | 'ERR_MEMPOOL_READ_ONLY'
  /** Another process holds what was to be held alone. */
  | 'ERR_MEMPOOL_IN_USE'
  /** The backend lacks a capability that was asked for, or Node is older than 22. */
  | 'ERR_MEMPOOL_UNSUPPORTED'
  /** A fault of the backend itself; `cause` has the original error. */
  | 'ERR_MEMPOOL_INTERNAL';

/** Whether the same call may succeed later without a change. */
const retryableByCode: Readonly<Record<MempoolErrorCode, boolean>> = {
  ERR_MEMPOOL_INVALID: false,
  ERR_MEMPOOL_CONFIG: false,
  ERR_MEMPOOL_UNAVAILABLE: true,
  ERR_MEMPOOL_OUTCOME_UNKNOWN: true,
  ERR_MEMPOOL_BUSY: true,
  ERR_MEMPOOL_STORE_FULL: true,
  ERR_MEMPOOL_CLOSED: false,
  ERR_MEMPOOL_CORRUPT: false,
  ERR_MEMPOOL_INCOMPATIBLE: false,
  ERR_MEMPOOL_AUTH: false,
  ERR_MEMPOOL_PERMISSION: false,
  ERR_MEMPOOL_READ_ONLY: true,
  ERR_MEMPOOL_IN_USE: true,
  ERR_MEMPOOL_UNSUPPORTED: false,
  ERR_MEMPOOL_INTERNAL: false,
};

export const mempoolErrorCodes: readonly MempoolErrorCode[] = Object.keys(retryableByCode) as MempoolErrorCode[];

/** What an error is about, for programs: the field, the hash, the key. Never a payload. */
export interface MempoolErrorDetails {
  readonly field?: string;
  readonly hash?: string;
  /** Of an operation id used with other transactions: those of its first call, in their order. */
  readonly hashes?: readonly string[];
  readonly seq?: number;
  readonly logSeq?: number;
  readonly command?: string;
  readonly key?: string;
}

/** The one error class (R1). Recognise it by `code` with `isMempoolError`, not by `instanceof`. */
export class MempoolError extends Error {
  override readonly name = 'MempoolError';
  readonly code: MempoolErrorCode;
  readonly retryable: boolean;
  readonly details: MempoolErrorDetails;

  constructor(
    code: MempoolErrorCode,
    message: string,
    options: MempoolErrorDetails & { readonly cause?: unknown } = {},
  ) {
    const { cause, ...details } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryableByCode[code];
    this.details = details;
  }
}

/** True for an error of this library, from whichever copy or realm of it; with `code`, for that code only. */
export function isMempoolError(error: unknown, code?: MempoolErrorCode): error is MempoolError {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  if (typeof error.code !== 'string' || !Object.hasOwn(retryableByCode, error.code)) return false;
  return code === undefined || error.code === code;
}

/** An argument is wrong: the error that names its field. */
export function invalid(field: string, expected: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INVALID', `${field} must be ${expected}`, { field });
}
