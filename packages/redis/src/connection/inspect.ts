import { isMempoolError, MempoolError } from 'mempool-core';
import { retryUntil } from 'mempool-core/backend';
import type { Connection, ConnectionOptions } from './connection.ts';
import { refusal, unsupportedMode } from './refusal.ts';

/** Refuses the URL of a cluster's node or of a Sentinel, because their own errors would not explain the cause. */
export async function refuseMode(
  connection: Connection,
  { timeoutMs, clock, url, sentinels }: ConnectionOptions,
): Promise<void> {
  const ask = (remainingMs: number) => connection.send('INFO', ['server'], remainingMs).then(String);
  const info = await retryUntil({ timeoutMs, clock, signal: undefined }, ask).catch((error: unknown) => {
    if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    return '';
  });
  // With Sentinels the URL names no server.
  const wrong = unsupportedMode(info, sentinels === undefined ? url : undefined);
  if (wrong !== null) throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', wrong);
}

/** Tries the commands of the scripts by running `probe`. @throws an error naming a command that the server refuses */
export async function tryCommands(probe: () => Promise<unknown>): Promise<void> {
  // Twice: the first call is an EVAL, the second an EVALSHA.
  await probe();
  const answer = await probe();
  if (!Array.isArray(answer)) return;
  const [command, words] = answer.map(String) as [string, string];
  const error = refusal(new Error(words), command);
  const code = isMempoolError(error) ? error.code : 'ERR_MEMPOOL_INCOMPATIBLE';
  const needed = code === 'ERR_MEMPOOL_INCOMPATIBLE' ? 'Redis 6.2 or later is needed: ' : '';
  throw new MempoolError(code, `${needed}the server refuses ${command}: ${words}`, { command });
}
