import { isMempoolError, type MempoolErrorCode } from 'mempool-core';
import { ElectionError, type ElectionErrorCode } from 'mempool-election';

const codes: Partial<Record<MempoolErrorCode, ElectionErrorCode>> = {
  ERR_MEMPOOL_UNAVAILABLE: 'ERR_ELECTION_UNAVAILABLE',
  ERR_MEMPOOL_OUTCOME_UNKNOWN: 'ERR_ELECTION_UNAVAILABLE',
  ERR_MEMPOOL_STORE_FULL: 'ERR_ELECTION_UNAVAILABLE',
  ERR_MEMPOOL_CORRUPT: 'ERR_ELECTION_REFUSED',
  ERR_MEMPOOL_INCOMPATIBLE: 'ERR_ELECTION_REFUSED',
  ERR_MEMPOOL_READ_ONLY: 'ERR_ELECTION_REFUSED',
  ERR_MEMPOOL_UNSUPPORTED: 'ERR_ELECTION_REFUSED',
};

/** Converts an error of the pool's file to an error of the election. Returns other errors unchanged. */
export function electionError(error: unknown): unknown {
  if (!isMempoolError(error)) return error;
  const { field } = error.details;
  if (field === 'path') return new ElectionError('ERR_ELECTION_OPTION', error.message, { field, cause: error });
  const code = codes[error.code];
  return code === undefined ? error : new ElectionError(code, error.message, { cause: error });
}
