import { isMempoolError, type MempoolErrorCode } from 'mempool-core';
import { type ExitCode, exitCodes, Failure } from './exit-code.ts';

/** The output of a failed command: its message and its exit code. */
export interface Ending {
  readonly exitCode: ExitCode;
  readonly message: string;
  /** The code of the error, if it has one. */
  readonly code: string | null;
}

const { failed, usage, refused, tryAgain, notFound } = exitCodes;

const byCode: Readonly<Record<MempoolErrorCode, readonly [exitCode: ExitCode, remedy: string]>> = {
  ERR_MEMPOOL_INVALID: [usage, ''],
  ERR_MEMPOOL_CURSOR: [notFound, 'the pool was made anew since: begin without the cursor'],
  ERR_MEMPOOL_CONFIG: [usage, ''],
  ERR_MEMPOOL_UNAVAILABLE: [tryAgain, 'nothing was changed'],
  ERR_MEMPOOL_OUTCOME_UNKNOWN: [tryAgain, 'the answer was lost: look, or repeat with the same --operation-id'],
  ERR_MEMPOOL_BUSY: [tryAgain, ''],
  ERR_MEMPOOL_STORE_FULL: [tryAgain, 'make room; nothing was changed'],
  ERR_MEMPOOL_CLOSED: [failed, ''],
  ERR_MEMPOOL_CORRUPT: [failed, '`mempool doctor` lists what is damaged'],
  ERR_MEMPOOL_INCOMPATIBLE: [failed, 'something else wrote it, perhaps another version of mempool: use that one'],
  ERR_MEMPOOL_AUTH: [refused, 'check user and password'],
  ERR_MEMPOOL_PERMISSION: [refused, 'grant the right, or use another user'],
  ERR_MEMPOOL_READ_ONLY: [tryAgain, ''],
  ERR_MEMPOOL_IN_USE: [tryAgain, 'another process holds the pool: ask its server with --url'],
  ERR_MEMPOOL_UNSUPPORTED: [refused, ''],
  ERR_MEMPOOL_INTERNAL: [failed, ''],
};

/** Returns the message and the exit code for an error. */
export function failureOf(error: unknown): Ending {
  if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message, code: error.code };
  if (isMempoolError(error)) {
    const [exitCode, remedy] = byCode[error.code];
    return { exitCode, message: remedy === '' ? error.message : `${error.message} (${remedy})`, code: error.code };
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { exitCode: code === 'ENOENT' ? notFound : failed, message: messageOf(error), code };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'failed for an unknown reason' : message;
}
