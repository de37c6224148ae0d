import { Problem } from 'mempool-server/extension';
import { isLedgerError, type LedgerErrorCode } from '../index.ts';

/** The answer to an error of the ledger, by its code. Only a message of a 4xx is passed on: others may name hosts and files. */
const statuses: Readonly<Record<LedgerErrorCode, readonly [status: number, detail: string]>> = {
  ERR_LEDGER_ARGUMENT: [400, ''],
  ERR_LEDGER_CLOSED: [503, 'The ledger is closed.'],
  ERR_LEDGER_UNAVAILABLE: [503, 'The store of the ledger could not be reached in time. Nothing was changed.'],
  ERR_LEDGER_OUTCOME_UNKNOWN: [503, 'The answer of the store was lost. Repeat the request with the same id.'],
  ERR_LEDGER_STORE_FULL: [507, 'The store of the ledger has no room. Nothing was changed.'],
  ERR_LEDGER_CORRUPT: [500, 'A stored record of the ledger is damaged.'],
  ERR_LEDGER_INCOMPATIBLE: [500, 'The store of the ledger was deleted or replaced, or another version wrote it.'],
  ERR_LEDGER_REFUSED: [503, 'The server lacks a right in the store of the ledger.'],
};

/** Returns the answer to an error of the ledger; `null` for any other error. */
export function ledgerProblem(error: unknown): Problem | null {
  if (!isLedgerError(error)) return null;
  const { code, message, field } = error;
  const [status, detail] = statuses[code];
  const headers = status === 503 ? { 'retry-after': '1' } : undefined;
  return new Problem(status, code, { detail: detail || message, headers, members: { field: field ?? undefined } });
}
