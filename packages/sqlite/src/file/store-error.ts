import { isMempoolError, MempoolError, type MempoolErrorCode } from 'mempool-core';
import { invalid } from 'mempool-core/backend';

/** By SQLite's result codes, the most specific first: an extended code begins with its primary code. */
const codes: readonly (readonly [prefix: string, code: MempoolErrorCode, what: string])[] = [
  ['SQLITE_BUSY', 'ERR_MEMPOOL_UNAVAILABLE', 'another process is writing to the file'],
  ['SQLITE_LOCKED', 'ERR_MEMPOOL_UNAVAILABLE', 'another process is writing to the file'],
  ['SQLITE_PROTOCOL', 'ERR_MEMPOOL_UNAVAILABLE', 'another process keeps the log of the file locked'],
  ['SQLITE_FULL', 'ERR_MEMPOOL_STORE_FULL', 'the disk is full'],
  ['SQLITE_IOERR_WRITE', 'ERR_MEMPOOL_STORE_FULL', 'the file cannot grow'],
  ['SQLITE_IOERR_SHMSIZE', 'ERR_MEMPOOL_STORE_FULL', 'the disk is full'],
  // The commit is in the WAL, but perhaps not on the disk.
  ['SQLITE_IOERR_FSYNC', 'ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the disk did not confirm a write'],
  ['SQLITE_IOERR_SHORT_READ', 'ERR_MEMPOOL_CORRUPT', 'the file is cut short'],
  ['SQLITE_IOERR', 'ERR_MEMPOOL_UNAVAILABLE', 'the file cannot be read or written'],
  ['SQLITE_CORRUPT', 'ERR_MEMPOOL_CORRUPT', 'the file is damaged'],
  ['SQLITE_NOTADB', 'ERR_MEMPOOL_INCOMPATIBLE', 'the file is no SQLite database'],
  // In a file that is not yet in WAL mode, when it is opened: others removed it meanwhile.
  ['SQLITE_READONLY_DBMOVED', 'ERR_MEMPOOL_UNAVAILABLE', 'the file was removed'],
  ['SQLITE_READONLY', 'ERR_MEMPOOL_READ_ONLY', 'the file cannot be written to'],
  ['SQLITE_CANTOPEN', 'ERR_MEMPOOL_UNAVAILABLE', 'the file cannot be opened'],
  // All statements are constant, so these errors come from tables that are missing or altered.
  ['SQLITE_ERROR', 'ERR_MEMPOOL_CORRUPT', 'the tables of the file are damaged'],
  ['SQLITE_SCHEMA', 'ERR_MEMPOOL_CORRUPT', 'the tables of the file are damaged'],
  ['SQLITE_CONSTRAINT', 'ERR_MEMPOOL_CORRUPT', 'the records of the file do not fit together'],
  ['SQLITE_MISMATCH', 'ERR_MEMPOOL_CORRUPT', 'the records of the file do not fit together'],
  ['SQLITE_TOOBIG', 'ERR_MEMPOOL_CORRUPT', 'a record of the file is longer than it can be'],
];

/** The message of better-sqlite3 for a value of more than 512 MiB. */
const unbound = /too big$/;

/** Converts SQLite's error to an error of the contract (X5, M3, N2). Returns other errors unchanged. */
export function storeError(error: unknown, path: string): unknown {
  if (error instanceof RangeError && unbound.test(error.message))
    return invalid('payload', 'at most 512 MiB in SQLite');
  if (!(error instanceof Error) || isMempoolError(error) || !('code' in error)) return error;
  const match = codes.find(([prefix]) => String(error.code).startsWith(prefix));
  if (match === undefined) return error;
  return new MempoolError(match[1], `${match[2]}: ${path} (${error.code})`, { cause: error, key: path });
}
