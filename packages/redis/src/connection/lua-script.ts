import { createHash } from 'node:crypto';
import { readLua } from './lua-text.ts';

/** A Lua script. */
export interface Script {
  readonly source: string;
  readonly sha: string;
  /** True if the script may have changed something when it was sent but not answered. */
  readonly writes: boolean;
}

/** Concatenates the texts. */
export function scriptOf(writes: boolean, ...texts: readonly string[]): Script {
  const source = texts.join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex'), writes };
}

/** The text that ends a reading script on a replica with READONLY. The local `META` must be the name of a hash. */
export const onPrimary: string = readLua('connection/primary.lua');
