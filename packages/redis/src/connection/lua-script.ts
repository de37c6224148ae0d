import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { readLua } from './lua-text.ts';

/** A Lua script. */
export interface Script {
  readonly source: string;
  readonly sha: string;
  /** True if the script may have changed something when it was sent but not answered. */
  readonly writes: boolean;
}

/** An argument of a script. Bytes must not change until the call has ended (M1). */
export type Argument = string | number | Buffer;

/** Concatenates the texts. */
export function scriptOf(writes: boolean, ...texts: readonly string[]): Script {
  const source = texts.join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex'), writes };
}

type Command = (keyCount: number, ...keysAndArgs: Argument[]) => Promise<unknown>;

/**
 * Runs a script, with buffers in its answer. The first call on a connection sends the source, so that calls after it find the script loaded.
 */
export function runOn(
  client: Redis,
  { sha, source }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  const commands = client as unknown as Record<string, Command>;
  if (!(sha in commands)) client.defineCommand(sha, { lua: source });
  return (commands[`${sha}Buffer`] as Command)(keys.length, ...keys, ...args);
}

/** The text that ends a reading script on a replica with READONLY. The local `META` must be the name of a hash. */
export const onPrimary: string = readLua('connection/primary.lua');
