import { isMempoolError, MempoolError, type MempoolErrorCode } from 'mempool-core';
import { importUnfinished, invalid, operationReused } from 'mempool-core/backend';
import { isTlsRefusal } from './socket.ts';

/** By the first word of the server's error, or by words in it. */
const codes: readonly (readonly [RegExp, MempoolErrorCode])[] = [
  [/^(OOM|MISCONF) /, 'ERR_MEMPOOL_STORE_FULL'],
  [/^READONLY /, 'ERR_MEMPOOL_READ_ONLY'],
  [/^(NOAUTH|WRONGPASS|DENIED) |^ERR invalid password|called without any password/, 'ERR_MEMPOOL_AUTH'],
  [/^MEMPOOL_CORRUPT /, 'ERR_MEMPOOL_CORRUPT'],
  [/^NOPERM |executing the script can't run this command/i, 'ERR_MEMPOOL_PERMISSION'],
  [/^(MOVED|ASK|CROSSSLOT) |SELECT is not allowed in cluster mode|cluster support disabled/, 'ERR_MEMPOOL_UNSUPPORTED'],
  [/^ERR Protocol error: invalid bulk length/, 'ERR_MEMPOOL_INVALID'],
  [/^MEMPOOL_GAP /, 'ERR_MEMPOOL_CORRUPT'],
  [/^MEMPOOL_(FORMAT|POOL|LOST|TYPE) |^(ERR )?unknown (redis )?command|DB index is out/i, 'ERR_MEMPOOL_INCOMPATIBLE'],
  // Temporary: not carried out, but a later attempt may be. UNBLOCKED: the server was demoted while a call waited.
  [
    /^(LOADING|UNBLOCKED|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS) |max number of cli/,
    'ERR_MEMPOOL_UNAVAILABLE',
  ],
];

/** By `redis_mode` of INFO: kinds of servers that a URL alone must not name. */
const unsupportedModes: Readonly<Record<string, string>> = {
  cluster:
    'the URL is that of a node of a Redis Cluster: write cluster: ["host:port"], in a file cluster = ["host:port"]',
  sentinel:
    'the URL is that of a Redis Sentinel: write sentinels: ["host:port"], masterName: "…", in a file sentinels = ["host:port"], master_name = "…"',
};

/** Returns the problem with the URL of a server of this kind, or `null`. `info` is the answer of INFO, or empty. */
export function unsupportedMode(info: string, url: string | undefined): string | null {
  const mode = /^redis_mode:(\w+)/m.exec(info)?.[1] ?? '';
  if (!Object.hasOwn(unsupportedModes, mode)) return null;
  const { hostname, port } = URL.parse(url ?? '') ?? { hostname: 'host', port: 'port' };
  return (unsupportedModes[mode] as string).replaceAll('host:port', `${hostname}:${port || 6379}`);
}

/** Returns the problem if the options name a cluster and the server is in none, or the reverse. `words` are the server's. */
function clusterMismatch(words: string): string {
  const isPlain = words.includes('cluster support disabled');
  const why = isPlain ? 'a server that cluster names is not in a cluster: give it as url' : unsupportedModes.cluster;
  return `${why} (${words})`;
}

/** The prefix of Redis 6.2 to errors inside scripts. */
const wrapping = /^(ERR Error running script \(call to \w+\): )?(@\w+: ?\d+: )*-?/;

/** Returns the server's message without the prefix of errors inside scripts. */
export function unwrapped(message: string): string {
  return message.replace(wrapping, '').trim();
}

/** True for an error reply of the server, false for an error of the connection. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** True if the script found no pool, or a key of another type. */
export function isPoolMissing(error: unknown): boolean {
  return isReply(error) && /^(MEMPOOL_GONE|WRONGTYPE) /.test(unwrapped(error.message));
}

/** Waits for the first reads of a pool. One that is being imported is read by the first call after that. */
export async function unlessImporting(reads: Promise<unknown>): Promise<void> {
  try {
    await reads;
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_IN_USE')) throw error;
  }
}

/** Removes the arguments that the client attaches to errors, because payloads and passwords must not be logged. */
export function withoutArguments(error: unknown): unknown {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}

/** Converts the server's error reply to a `MempoolError`. Returns unknown ones unchanged. `asked` is the command, for messages. */
export function refusal(error: Error, asked: string): Error {
  const message = unwrapped(error.message);
  const [word, , ...hashes] = message.split(' ');
  if (word === 'MEMPOOL_IMPORTING') return importUnfinished();
  if (word === 'MEMPOOL_REUSED') return operationReused(hashes.length === 0 ? undefined : hashes);
  const code = codes.find(([words]) => words.test(message))?.[1];
  if (code === undefined) return error;
  if (code === 'ERR_MEMPOOL_UNSUPPORTED') return new MempoolError(code, clusterMismatch(message));
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

/** Returns the error for a failed TLS handshake in which server and client did not accept each other; else `null`. */
export function tlsRefusal(error: unknown): MempoolError | null {
  return isTlsRefusal(error)
    ? new MempoolError('ERR_MEMPOOL_AUTH', `TLS with the server fails: ${error.message}`, { cause: error })
    : null;
}
