import { MempoolError, type MempoolErrorCode } from 'mempool-core';
import { invalid, operationReused } from 'mempool-core/backend';
import { isTlsRefusal } from './socket.ts';

/** By the first word of the server's answer, or by words in it. */
const codes: readonly (readonly [RegExp, MempoolErrorCode])[] = [
  [/^(OOM|MISCONF) /, 'ERR_MEMPOOL_STORE_FULL'],
  [/^READONLY /, 'ERR_MEMPOOL_READ_ONLY'],
  [/^(NOAUTH|WRONGPASS|DENIED) |^ERR invalid password|called without any password/, 'ERR_MEMPOOL_AUTH'],
  [/^MEMPOOL_CORRUPT /, 'ERR_MEMPOOL_CORRUPT'],
  [/^NOPERM |executing the script can't run this command/i, 'ERR_MEMPOOL_PERMISSION'],
  [/^(MOVED|ASK|CROSSSLOT) |SELECT is not allowed in cluster mode/, 'ERR_MEMPOOL_UNSUPPORTED'],
  [/^ERR Protocol error: invalid bulk length/, 'ERR_MEMPOOL_INVALID'],
  [/^MEMPOOL_GAP /, 'ERR_MEMPOOL_CORRUPT'],
  [/^MEMPOOL_(FORMAT|POOL|LOST|TYPE) |^(ERR )?unknown (redis )?command|DB index is out/i, 'ERR_MEMPOOL_INCOMPATIBLE'],
  // Not carried out, but it may be later.
  [/^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS) |max number of cli/, 'ERR_MEMPOOL_UNAVAILABLE'],
];

/** By `redis_mode` of INFO: what a URL may name besides a server of its own. */
export const unsupportedModes: Readonly<Record<string, string>> = {
  cluster: 'the URL is that of a node of a Redis Cluster, which is not supported yet',
  sentinel: 'the URL is that of a Redis Sentinel: give that of the server that it watches',
};

/** What is wrong with a server of this kind; `null` for one of its own. `info`: as INFO answers, or nothing. */
export function unsupportedMode(info: string): string | null {
  const mode = /^redis_mode:(\w+)/m.exec(info)?.[1] ?? '';
  return Object.hasOwn(unsupportedModes, mode) ? (unsupportedModes[mode] as string) : null;
}

/** What Redis 6.2 puts before an error that a script met. */
const wrapping = /^(ERR Error running script \(call to \w+\): )?(@\w+: ?\d+: )*-?/;

/** The server's words, without what it puts before those of a script's command. */
export function unwrapped(message: string): string {
  return message.replace(wrapping, '').trim();
}

/** True for what the server said, as against what became of the connection. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** True where the script found no pool, or a key that is not ours. */
export function isPoolMissing(error: unknown): boolean {
  return isReply(error) && /^(MEMPOOL_GONE|WRONGTYPE) /.test(unwrapped(error.message));
}

/** The client hangs a failed command's arguments on its error: payloads and passwords, which belong in no log. */
export function withoutArguments(error: unknown): unknown {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}

/** The server's refusal as an error of ours, or as it is; `asked` is what was refused, unless the server says better. */
export function refusal(error: Error, asked: string): Error {
  const message = unwrapped(error.message);
  if (message.startsWith('MEMPOOL_REUSED')) return operationReused();
  const code = codes.find(([words]) => words.test(message))?.[1];
  if (code === undefined) return error;
  if (code === 'ERR_MEMPOOL_UNSUPPORTED') return new MempoolError(code, `${unsupportedModes.cluster} (${message})`);
  if (code === 'ERR_MEMPOOL_INVALID') return invalid('payload', 'of a size that the server takes: proto-max-bulk-len');
  if (code === 'ERR_MEMPOOL_READ_ONLY')
    return new MempoolError(code, `the server is a replica: ${message}`, { cause: error });
  const command = /'([a-z]+)[a-z|]*' command/.exec(message)?.[1]?.toUpperCase() ?? asked;
  const key = /^MEMPOOL_(?:TYPE|GAP) .*: (\S+)$/.exec(message)?.[1];
  return new MempoolError(code, message.replace(/^MEMPOOL_\w+ /, 'the pool cannot be used: '), {
    ...(code === 'ERR_MEMPOOL_PERMISSION' ? { command } : {}),
    ...(key === undefined ? {} : { key }),
    cause: error,
  });
}

/** Where server and client do not accept each other's certificates; else `null`. */
export function tlsRefusal(error: unknown): MempoolError | null {
  return isTlsRefusal(error)
    ? new MempoolError('ERR_MEMPOOL_AUTH', `TLS with the server fails: ${error.message}`, { cause: error })
    : null;
}
