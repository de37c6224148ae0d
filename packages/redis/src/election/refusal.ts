import { ElectionError } from 'mempool-election';
import { clusterMismatch, isReply, unwrapped } from '../connection/refusal.ts';
import { SentinelError } from '../connection/sentinel.ts';
import { isTlsRefusal } from '../connection/socket.ts';

/** Temporary errors: a later attempt may succeed. All other errors of the server are refusals. `UNBLOCKED`: demoted while a lease waited. */
const passing = /^(OOM|MISCONF|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|UNBLOCKED) |max number of cli/;

function plain(words: string): string {
  if (/^(MOVED|ASK|CROSSSLOT) |SELECT is not allowed in cluster mode|cluster support disabled/.test(words))
    return clusterMismatch(words);
  return words.startsWith('READONLY ') ? `the server is a replica: ${words}` : words;
}

/**
 * The error of a command, as an error of the election. `wasConnected`: to a server, at some time. Then Sentinels that do not name one are
 * temporary.
 */
export function electionError(cause: unknown, asked: string, wasConnected = false): ElectionError {
  if (isReply(cause)) return refusal(cause.message, asked, cause);
  const words = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof SentinelError && cause.reason !== 'unreachable' && !wasConnected)
    return new ElectionError('ERR_ELECTION_REFUSED', words, { cause });
  if (isTlsRefusal(cause))
    return new ElectionError('ERR_ELECTION_REFUSED', `TLS with Redis fails: ${words}`, { cause });
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', `no answer from Redis to ${asked}: ${words}`, { cause });
}

/** The error while the slot of a cluster moves or has no master: nothing was carried out. */
export function slotMoves(cause: unknown, asked: string): ElectionError {
  const words = `the slot moves, so there is no answer to ${asked}: ${(cause as Error).message}`;
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', words, { cause });
}

/** The error of a server that was a master before. Its successor will answer. */
export function demoted(cause: Error, asked: string): ElectionError {
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', `Redis refuses ${asked}: ${plain(unwrapped(cause.message))}`, {
    cause,
  });
}

/** The server's error reply, as an error of the election. */
export function refusal(message: string, asked: string, cause?: Error): ElectionError {
  const words = unwrapped(message);
  const code = passing.test(words) ? 'ERR_ELECTION_UNAVAILABLE' : 'ERR_ELECTION_REFUSED';
  const key = /^ELECTION_TYPE (\S+)/.exec(words)?.[1];
  const why = key === undefined ? plain(words) : `a key of another type is in the place of ${key}`;
  return new ElectionError(code, `Redis refuses ${asked}: ${why}`, { cause });
}
