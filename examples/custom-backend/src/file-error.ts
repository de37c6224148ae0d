import { isMempoolError, MempoolError, type MempoolErrorCode } from 'mempool-core';

const codes: Readonly<Record<string, MempoolErrorCode>> = {
  ENOSPC: 'ERR_MEMPOOL_STORE_FULL',
  EDQUOT: 'ERR_MEMPOOL_STORE_FULL',
  EFBIG: 'ERR_MEMPOOL_STORE_FULL',
  EACCES: 'ERR_MEMPOOL_PERMISSION',
  EPERM: 'ERR_MEMPOOL_PERMISSION',
  EROFS: 'ERR_MEMPOOL_READ_ONLY',
  ENOENT: 'ERR_MEMPOOL_INVALID',
  EISDIR: 'ERR_MEMPOOL_INVALID',
};

/** The error of a failed system call, as an error of the contract (R1). */
export function fileError(cause: unknown, path: string): MempoolError {
  if (isMempoolError(cause)) return cause;
  const { code = '', message = 'the file system failed' } = cause as NodeJS.ErrnoException;
  return new MempoolError(codes[code] ?? 'ERR_MEMPOOL_INTERNAL', message, { cause, key: path });
}
