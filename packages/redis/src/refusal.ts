import { MempoolError, type MempoolErrorCode, operationReused } from 'mempool-core';

/** By the first word of the server's answer, or by words in it. */
const codes: readonly (readonly [RegExp, MempoolErrorCode])[] = [
  [/^(OOM|MISCONF) /, 'ERR_MEMPOOL_STORE_FULL'],
  [/^READONLY /, 'ERR_MEMPOOL_READ_ONLY'],
  [/^(NOAUTH|WRONGPASS|DENIED) |^ERR invalid password|called without any password/, 'ERR_MEMPOOL_AUTH'],
  [/^NOPERM |executing the script can't run this command/i, 'ERR_MEMPOOL_PERMISSION'],
  [/^MEMPOOL_(FORMAT|POOL|LOST|TYPE) |^ERR unknown (redis )?command|DB index is out/i, 'ERR_MEMPOOL_INCOMPATIBLE'],
  // Not carried out, but it may be later.
  [/^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS) |max number of clients/, 'ERR_MEMPOOL_UNAVAILABLE'],
];

/** True for what the server said, as against what became of the connection. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** The client hangs a failed command's arguments on its error: payloads and passwords, which belong in no log. */
export function withoutArguments(error: unknown): unknown {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}

/** The server's refusal as an error of ours, or as it is; `command` and `keys` are what it was asked. */
export function refusal(error: Error, command: string, keys: readonly string[] = []): Error {
  const { message } = error;
  if (message.startsWith('MEMPOOL_REUSED')) return operationReused();
  const code = codes.find(([words]) => words.test(message))?.[1];
  if (code === undefined) return error;
  const key = /^MEMPOOL_TYPE (\d+)/.exec(message)?.[1];
  if (key !== undefined) return incompatible(error, keys[Number(key) - 1] ?? '');
  const named = /'([a-z]+)[a-z|]*' command/.exec(message)?.[1]?.toUpperCase() ?? command;
  const details = code === 'ERR_MEMPOOL_PERMISSION' ? { command: named } : {};
  return new MempoolError(code, explained(message), { ...details, cause: error });
}

function incompatible(cause: Error, key: string): MempoolError {
  return new MempoolError(
    'ERR_MEMPOOL_INCOMPATIBLE',
    `the key ${key} belongs to something else: its type is not ours`,
    {
      key,
      cause,
    },
  );
}

function explained(message: string): string {
  const [code, ...rest] = message.split(' ');
  switch (code) {
    case 'MEMPOOL_FORMAT':
      return `the pool is stored in format ${rest[0]}, which this version does not read`;
    case 'MEMPOOL_POOL':
      return `the keys hold another pool, named ${rest[0]}`;
    case 'MEMPOOL_LOST':
      return 'the pool has lost its key `meta`, evicted or deleted: delete its other keys to begin anew';
    default:
      return message;
  }
}
