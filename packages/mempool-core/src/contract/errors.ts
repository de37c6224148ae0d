/**
 * The error codes of this library (R1). Expected outcomes, such as `duplicate` and `gap`, are values, not errors.
 */
export type MempoolErrorCode =
  /** An argument is wrong; the message names the field. Nothing was written (M2). */
  | 'ERR_MEMPOOL_INVALID'
  /** The cursor belongs to an earlier pool, because the pool was made anew (O7). */
  | 'ERR_MEMPOOL_CURSOR'
  /** The configuration is wrong; the message names the field. */
  | 'ERR_MEMPOOL_CONFIG'
  /** The store could not be reached in time, and nothing was sent (X5). */
  | 'ERR_MEMPOOL_UNAVAILABLE'
  /** The call was sent, but its answer was lost. Repeat it with the same operation id (X5). */
  | 'ERR_MEMPOOL_OUTCOME_UNKNOWN'
  /** Too many callers are waiting (O6). */
  | 'ERR_MEMPOOL_BUSY'
  /** Memory, disk or a file-size limit is used up; nothing was changed (M3). */
  | 'ERR_MEMPOOL_STORE_FULL'
  /** The store is closed (R2). */
  | 'ERR_MEMPOOL_CLOSED'
  /** A stored record is damaged; `details` name its hash and seq (M2). */
  | 'ERR_MEMPOOL_CORRUPT'
  /** The stored data has a format or kind that this version does not read (N2). */
  | 'ERR_MEMPOOL_INCOMPATIBLE'
  /** The store refused the credentials, or its certificate was not accepted. */
  | 'ERR_MEMPOOL_AUTH'
  /** The credentials lack a right; the message names the command. */
  | 'ERR_MEMPOOL_PERMISSION'
  /** The store accepts no writes: it is a replica, or the process may not write to the file. */
  | 'ERR_MEMPOOL_READ_ONLY'
  /** Another process has the pool open. */
  | 'ERR_MEMPOOL_IN_USE'
  /** The backend lacks the capability, or Node is older than version 22. */
  | 'ERR_MEMPOOL_UNSUPPORTED'
  /** A fault of the backend; `cause` is the original error. */
  | 'ERR_MEMPOOL_INTERNAL';

/** True if the same call may succeed later, unchanged. */
const retryableByCode: Readonly<Record<MempoolErrorCode, boolean>> = {
  ERR_MEMPOOL_INVALID: false,
  ERR_MEMPOOL_CURSOR: false,
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

/** All codes. */
export const mempoolErrorCodes: readonly MempoolErrorCode[] = Object.keys(retryableByCode) as MempoolErrorCode[];

/** The subject of an error in machine-readable form, such as the field or the hash. It never contains a payload. */
export interface MempoolErrorDetails {
  readonly field?: string;
  readonly hash?: string;
  /** If an operation id was reused with other transactions: the hashes of its first call, in their order. */
  readonly hashes?: readonly string[];
  readonly seq?: number;
  readonly logSeq?: number;
  /** The number of a line in a file. */
  readonly line?: number;
  readonly command?: string;
  readonly key?: string;
  /** The name of a record (K4). */
  readonly name?: string;
}

/** The only class of errors that stores reject with (R1). Test for it with `isMempoolError`, not with `instanceof`. */
export class MempoolError extends Error {
  override readonly name = 'MempoolError';
  readonly code: MempoolErrorCode;
  /** True if the same call may succeed later, unchanged. */
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

/** True for an error of this library, also from another copy of it. If `code` is given, true for that code only. */
export function isMempoolError(error: unknown, code?: MempoolErrorCode): error is MempoolError {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  if (typeof error.code !== 'string' || !Object.hasOwn(retryableByCode, error.code)) return false;
  return code === undefined || error.code === code;
}

/** Returns the error for a wrong argument, `ERR_MEMPOOL_INVALID`. Its message names the field and the expected value. */
export function invalid(field: string, expected: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INVALID', `${field} must be ${expected}`, { field });
}
