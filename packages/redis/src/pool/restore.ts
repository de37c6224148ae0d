import { randomUUID } from 'node:crypto';
import { type DumpedPart, MempoolError, type Ordering, type RestoreOutcome } from 'mempool-core';
import type { Argument } from '../connection/script-call.ts';
import { RestoreCommands } from './restore-commands.ts';

/** Sends a part to lua/pool/restore-part.lua and returns the script's answer. */
export type SendPart = (args: readonly Argument[]) => Promise<number>;

/**
 * Writes a content to temporary keys beside the pool, in parts. Returns the arguments of lua/pool/restore.lua from the third on,
 * without the digest. An interrupted restore leaves its parts there until the next one begins.
 */
export async function prepareRestore(
  ordering: Ordering,
  content: readonly DumpedPart[],
  send: SendPart,
): Promise<Argument[]> {
  const mark = randomUUID();
  const commands = new RestoreCommands(ordering);
  let first = 'first';
  for (const part of commands.parts(content)) {
    if ((await send([mark, first, ...part])) !== 1) throw overtaken();
    first = '';
  }
  return [mark, ...commands.end()];
}

/** Converts the script's answer to the outcome. @throws `ERR_MEMPOOL_IN_USE` if another restore has begun since */
export function readRestored(word: Buffer): RestoreOutcome {
  const kind = String(word) as RestoreOutcome['kind'] | 'lost';
  if (kind === 'lost') throw overtaken();
  return { kind };
}

/** The error of a restore that another one, begun later, has replaced. */
function overtaken(): MempoolError {
  return new MempoolError('ERR_MEMPOOL_IN_USE', 'another restore of this pool has begun');
}
