import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A Lua script with what it is built from put before it. */
export interface Script {
  readonly source: string;
  readonly sha: string;
  /** One that was sent and not answered may have changed the pool. */
  readonly writes: boolean;
}

function read(name: string): string {
  return readFileSync(new URL(`../lua/${name}.lua`, import.meta.url), 'utf8');
}

function script(writes: boolean, ...parts: readonly string[]): Script {
  const source = parts.map(read).join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex'), writes };
}

const reading = (...parts: readonly string[]): Script => script(false, 'keys', 'state', ...parts);
const writing = (...parts: readonly string[]): Script => script(true, 'keys', 'state', 'write', ...parts);

/** One verb is one script (X1). */
export const scripts = {
  probe: script(false, 'probe'),
  open: script(false, 'keys', 'open'),
  receive: writing('receive'),
  move: writing('order', 'move'),
  drop: writing('order', 'log', 'drop'),
  confirm: writing('order', 'log', 'block', 'confirm'),
  rollback: writing('order', 'rollback'),
  peek: reading('page', 'peek'),
  find: reading('page', 'find'),
  status: reading('status'),
  dump: reading('dump'),
  tip: reading('tip'),
  usage: reading('usage'),
  events: reading('events'),
} as const satisfies Record<string, Script>;

const pool = ['meta', 'idx', 'flight', 'body', 'log', 'blocks', 'seen', 'events'];

/** The keys of a pool, in the order of lua/keys.lua. */
export interface Keys {
  /** With the record of the operation ids that callers give. */
  readonly named: readonly string[];
  /** With the record of the ids that this package makes, which must not push out those of callers. */
  readonly own: readonly string[];
  readonly probe: readonly string[];
  readonly events: string;
}

export function keysOf(prefix: string): Keys {
  const key = (name: string): string => `${prefix}:${name}`;
  return {
    named: [...pool, 'ops', 'ops:old'].map(key),
    own: [...pool, 'calls', 'calls:old'].map(key),
    probe: ['probe', 'probe:old'].map(key),
    events: key('events'),
  };
}
