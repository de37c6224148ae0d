import { isMempoolError, type MempoolErrorCode } from 'mempool-core';
import { LedgerError, type LedgerErrorCode } from 'mempool-ledger/backend';

const codes: Partial<Record<MempoolErrorCode, LedgerErrorCode>> = {
  ERR_MEMPOOL_UNAVAILABLE: 'ERR_LEDGER_UNAVAILABLE',
  ERR_MEMPOOL_OUTCOME_UNKNOWN: 'ERR_LEDGER_OUTCOME_UNKNOWN',
  ERR_MEMPOOL_STORE_FULL: 'ERR_LEDGER_STORE_FULL',
  ERR_MEMPOOL_CORRUPT: 'ERR_LEDGER_CORRUPT',
  ERR_MEMPOOL_INCOMPATIBLE: 'ERR_LEDGER_INCOMPATIBLE',
  ERR_MEMPOOL_READ_ONLY: 'ERR_LEDGER_REFUSED',
  ERR_MEMPOOL_UNSUPPORTED: 'ERR_LEDGER_REFUSED',
  ERR_MEMPOOL_INVALID: 'ERR_LEDGER_ARGUMENT',
};

/** Converts an error of the file to an error of the ledger. Returns other errors unchanged. */
export function ledgerError(error: unknown): unknown {
  if (!isMempoolError(error)) return error;
  const code = codes[error.code];
  const { field } = error.details;
  return code === undefined ? error : new LedgerError(code, error.message, { field, cause: error });
}
