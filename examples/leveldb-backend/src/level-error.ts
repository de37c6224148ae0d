import { isMempoolError, MempoolError, type MempoolErrorCode } from 'mempool-core';

const codes: Readonly<Record<string, MempoolErrorCode>> = {
  LEVEL_LOCKED: 'ERR_MEMPOOL_IN_USE',
  LEVEL_CORRUPTION: 'ERR_MEMPOOL_CORRUPT',
};

interface LevelError {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/** LevelDB's error, as an error of the contract (R1). An open wraps the reason in another error. */
export function levelError(error: unknown, otherwise: MempoolErrorCode): MempoolError {
  if (isMempoolError(error)) return error;
  const { code, message = 'LevelDB failed', cause } = error as LevelError;
  if (code === 'LEVEL_DATABASE_NOT_OPEN' && cause !== undefined) return levelError(cause, otherwise);
  return new MempoolError(codes[code ?? ''] ?? otherwise, message, { cause: error });
}
