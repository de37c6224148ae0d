import { ElectionError } from 'mempool-election';
import { isReply, unsupportedModes, unwrapped } from '../connection/refusal.ts';
import { isTlsRefusal } from '../connection/socket.ts';

/** Temporary errors: not carried out, but a later attempt may be. All other errors of the server are refusals. */
const passing = /^(OOM|MISCONF|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS) |max number of cli/;

function plain(words: string): string {
  if (/^(MOVED|ASK|CROSSSLOT) |SELECT is not allowed in cluster mode/.test(words))
    return `${unsupportedModes.cluster} (${words})`;
  return words.startsWith('READONLY ') ? `the server is a replica: ${words}` : words;
}

/** The error of a command, as an error of the election. */
export function electionError(cause: unknown, asked: string): ElectionError {
  if (isReply(cause)) return refusal(cause.message, asked, cause);
  const words = cause instanceof Error ? cause.message : String(cause);
  if (isTlsRefusal(cause))
    return new ElectionError('ERR_ELECTION_REFUSED', `TLS with Redis fails: ${words}`, { cause });
  return new ElectionError('ERR_ELECTION_UNAVAILABLE', `no answer from Redis to ${asked}: ${words}`, { cause });
}

/** The server's error reply, as an error of the election. */
export function refusal(message: string, asked: string, cause?: Error): ElectionError {
  const words = unwrapped(message);
  const code = passing.test(words) ? 'ERR_ELECTION_UNAVAILABLE' : 'ERR_ELECTION_REFUSED';
  const key = /^ELECTION_TYPE (\S+)/.exec(words)?.[1];
  const why = key === undefined ? plain(words) : `a key of another type is in the place of ${key}`;
  return new ElectionError(code, `Redis refuses ${asked}: ${why}`, { cause });
}
