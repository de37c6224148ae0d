import { MempoolError, type MempoolErrorCode, operationReused } from 'mempool-core';

/** Codes of the server's that mean: not carried out, and it may be later. */
const busy = ['LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'NOREPLICAS'];

const codes: Readonly<Record<string, MempoolErrorCode>> = {
  OOM: 'ERR_MEMPOOL_STORE_FULL',
  MISCONF: 'ERR_MEMPOOL_STORE_FULL',
  READONLY: 'ERR_MEMPOOL_READ_ONLY',
  NOAUTH: 'ERR_MEMPOOL_AUTH',
  WRONGPASS: 'ERR_MEMPOOL_AUTH',
  DENIED: 'ERR_MEMPOOL_AUTH',
  NOPERM: 'ERR_MEMPOOL_PERMISSION',
  MEMPOOL_FORMAT: 'ERR_MEMPOOL_INCOMPATIBLE',
  MEMPOOL_POOL: 'ERR_MEMPOOL_INCOMPATIBLE',
  MEMPOOL_LOST: 'ERR_MEMPOOL_INCOMPATIBLE',
  ...Object.fromEntries(busy.map((code) => [code, 'ERR_MEMPOOL_UNAVAILABLE'] as const)),
};

/** The client hangs a failed command's arguments on its error: payloads and passwords, which belong in no log. */
export function withoutArguments(error: unknown): unknown {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}

/** True for what the server said, as against what became of the connection. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether the server's answer begins with this code. */
export function saysCode(error: unknown, code: string): boolean {
  return isReplyError(error) && error.message.split(' ', 1)[0] === code;
}

/** The server's refusal as an error of ours; `command` and `keys` are what it was asked. */
export function refusal(error: Error, command: string, keys: readonly string[]): unknown {
  const [code = '', detail = ''] = error.message.split(' ', 2);
  if (code === 'MEMPOOL_REUSED') return operationReused();
  if (code === 'MEMPOOL_TYPE') return foreignKey(keys[Number(detail) - 1] ?? '', error);
  const ours = codes[code] ?? worded(error.message);
  if (ours === undefined) return error;
  const named = ours === 'ERR_MEMPOOL_PERMISSION' ? { command: refusedCommand(error.message) ?? command } : {};
  return new MempoolError(ours, explained(code, error.message), { ...named, cause: error });
}

function foreignKey(key: string, cause: unknown): MempoolError {
  const message = `the key ${key} is of a type that this package does not use it with: it belongs to something else`;
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', message, { key, cause });
}

/** Refusals that have no code of their own. */
function worded(message: string): MempoolErrorCode | undefined {
  if (/executing the script can't run this command/i.test(message)) return 'ERR_MEMPOOL_PERMISSION';
  if (/^ERR (invalid password|.*AUTH.* called without any password)/i.test(message)) return 'ERR_MEMPOOL_AUTH';
  if (/^ERR unknown (redis )?command/i.test(message)) return 'ERR_MEMPOOL_INCOMPATIBLE';
  if (/max number of clients/i.test(message)) return 'ERR_MEMPOOL_UNAVAILABLE';
  return undefined;
}

function refusedCommand(message: string): string | undefined {
  return /'([a-z|]+)' command/i.exec(message)?.[1]?.toUpperCase();
}

function explained(code: string, message: string): string {
  const detail = message.slice(code.length + 1);
  switch (code) {
    case 'MEMPOOL_FORMAT':
      return `the pool is stored in format ${detail}, which this version does not read`;
    case 'MEMPOOL_POOL':
      return `the keys hold another pool, named ${detail}`;
    case 'MEMPOOL_LOST':
      return 'the pool has lost its key `meta`: evicted or deleted; delete the other keys to begin anew';
    default:
      return message;
  }
}
