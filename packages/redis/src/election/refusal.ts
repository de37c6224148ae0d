import { isMempoolError, type MempoolErrorCode } from 'mempool-core';
import { ElectionError } from 'mempool-election';
import { isReply, refusal } from '../connection/refusal.ts';

/** Temporary refusals: a later attempt may succeed. */
const passing: ReadonlySet<MempoolErrorCode> = new Set(['ERR_MEMPOOL_UNAVAILABLE', 'ERR_MEMPOOL_STORE_FULL']);

/** Converts the error of a command to an error of the election. `asked` is the command, for messages. */
export function electionError(error: unknown, asked: string): ElectionError {
  const cause = isReply(error) ? refusal(error, asked) : error;
  const isPassing = isMempoolError(cause) ? passing.has(cause.code) : !isReply(cause);
  const words = cause instanceof Error ? cause.message : String(cause);
  return new ElectionError(isPassing ? 'ERR_ELECTION_UNAVAILABLE' : 'ERR_ELECTION_REFUSED', `${asked}: ${words}`, {
    cause: error,
  });
}
