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

interface Circumstances {
  /** True if there was ever a connection to a server. Then it is a temporary error if the Sentinels name none. */
  readonly wasConnected?: boolean;
  /** The reason why there is no answer; default the message of the error. */
  readonly words?: string;
}

/** Converts the error of a command to an error of the election. */
export function electionError(
  cause: unknown,
  asked: string,
  { wasConnected = false, words = cause instanceof Error ? cause.message : String(cause) }: Circumstances = {},
): ElectionError {
  if (isReply(cause)) return refusal(cause.message, asked, cause);
  if (cause instanceof SentinelError && cause.reason !== 'unreachable' && !wasConnected)
    return new ElectionError('ERR_ELECTION_REFUSED', words, { cause });
  if (isTlsRefusal(cause))
    return new ElectionError('ERR_ELECTION_REFUSED', `TLS with Redis fails: ${words}`, { cause });
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', `no answer from Redis to ${asked}: ${words}`, { cause });
}

/** Returns the error for a cluster whose slot moves or has no master. The command had no effect. */
export function slotMoves(cause: unknown, asked: string): ElectionError {
  const words = `the slot moves, so there is no answer to ${asked}: ${(cause as Error).message}`;
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', words, { cause });
}

/** Returns the error for a server that is no longer the master. A retry reaches its successor. */
export function demoted(cause: Error, asked: string): ElectionError {
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', `Redis refuses ${asked}: ${plain(unwrapped(cause.message))}`, {
    cause,
  });
}

/** Converts the server's error reply to an error of the election. */
export function refusal(message: string, asked: string, cause?: Error): ElectionError {
  const words = unwrapped(message);
  const code = passing.test(words) ? 'ERR_ELECTION_UNAVAILABLE' : 'ERR_ELECTION_REFUSED';
  const key = /^ELECTION_TYPE (\S+)/.exec(words)?.[1];
  const why = key === undefined ? plain(words) : `a key of another type is in the place of ${key}`;
  return new ElectionError(code, `Redis refuses ${asked}: ${why}`, { cause });
}
