import type { MempoolErrorCode } from 'mempool-core';

/** The error codes of ledgers. A refusal by a rule is not an error but an `outcome`. */
export type LedgerErrorCode =
  /** An argument or an option is wrong; the message and `field` name it. Nothing was changed. */
  | 'ERR_LEDGER_ARGUMENT'
  /** The ledger was closed. */
  | 'ERR_LEDGER_CLOSED'
  /** The store could not be reached. Nothing was changed. */
  | 'ERR_LEDGER_UNAVAILABLE'
  /** The call may or may not have taken effect. It is safe to repeat it with the same id. */
  | 'ERR_LEDGER_OUTCOME_UNKNOWN'
  /** The store has no room. Nothing was changed. */
  | 'ERR_LEDGER_STORE_FULL'
  /** The stored data is damaged or contradicts itself; the message names the key or the row. */
  | 'ERR_LEDGER_CORRUPT'
  /** The stored data has another format, or is not a ledger. */
  | 'ERR_LEDGER_INCOMPATIBLE'
  /** The store lacks a right, a command or a version that the ledger needs. */
  | 'ERR_LEDGER_REFUSED';

export interface LedgerErrorDetails {
  readonly field?: string | null | undefined;
  readonly cause?: unknown;
}

/** The error class of ledgers. Test for it with `isLedgerError`, not with `instanceof`. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;
  /** The argument or option that is wrong; `null` for errors about something else. */
  readonly field: string | null;

  constructor(code: LedgerErrorCode, message: string, { field = null, cause }: LedgerErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.field = field;
  }
}

/** True if `error` is a `LedgerError`. If `code` is given, true for that code only. */
export function isLedgerError(error: unknown, code?: LedgerErrorCode): error is LedgerError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return code === undefined ? error.code.startsWith('ERR_LEDGER_') : error.code === code;
}

const codes: Partial<Record<MempoolErrorCode, LedgerErrorCode>> = {
  ERR_MEMPOOL_INVALID: 'ERR_LEDGER_ARGUMENT',
  ERR_MEMPOOL_UNAVAILABLE: 'ERR_LEDGER_UNAVAILABLE',
  ERR_MEMPOOL_OUTCOME_UNKNOWN: 'ERR_LEDGER_OUTCOME_UNKNOWN',
  ERR_MEMPOOL_STORE_FULL: 'ERR_LEDGER_STORE_FULL',
  ERR_MEMPOOL_INCOMPATIBLE: 'ERR_LEDGER_INCOMPATIBLE',
  ERR_MEMPOOL_CORRUPT: 'ERR_LEDGER_CORRUPT',
};

/** Returns a ledger's code for an error of the file or the connection, which are those of a pool. */
export function ledgerCodeOf(code: MempoolErrorCode): LedgerErrorCode {
  return codes[code] ?? 'ERR_LEDGER_REFUSED';
}

/** Returns the error for a wrong argument, `ERR_LEDGER_ARGUMENT`. The message reads `<field> must be <expected>`. */
export function badArgument(field: string, expected: string): LedgerError {
  return new LedgerError('ERR_LEDGER_ARGUMENT', `${field} must be ${expected}`, { field });
}
