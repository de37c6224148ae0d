import { isMempoolError } from 'mempool-sqlite/backend';
import { LedgerError, ledgerCodeOf } from '../backend.ts';

/** Converts an error of the file to an error of the ledger. Returns other errors unchanged. */
export function ledgerError(error: unknown): unknown {
  if (!isMempoolError(error)) return error;
  const { field } = error.details;
  return new LedgerError(ledgerCodeOf(error.code), error.message, { field, cause: error });
}
