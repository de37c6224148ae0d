import { isAbsolute, join, relative, sep } from 'node:path';
import { hint, shortName } from '../boundary/option-names.ts';
import type { Thresholds } from '../contract/lifecycle.ts';
import type { Limits, Ordering } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import {
  bump,
  count,
  countFromZero,
  electionName,
  type Field,
  type FieldPath,
  flag,
  isTable,
  limit,
  misconfigured,
  oneOf,
  poolName,
  redisUrl,
  snakeCase,
  table,
  text,
  threshold,
} from './config-field.ts';

/** Which pool to open, and how: as an object or in a TOML or JSON file, where names may also be written `like_this`. */
export interface MempoolConfig extends Partial<Thresholds>, Partial<Retention>, Partial<Limits> {
  /**
   * `ephemeral`, `sqlite`, `redis` or another name given to `openMempool`; else the name of a module whose default or only
   * backend is meant, `module#name` for one of several. `in_memory` and `redb` stand for `ephemeral` and `sqlite`.
   */
  readonly backend: string;
  /** `multi-node` refuses a backend that cannot be shared. Default `single-node`. */
  readonly deployment?: 'single-node' | 'multi-node' | undefined;
  /** Name of the pool; default `mempool`. */
  readonly pool?: string | undefined;
  /** Largest payload taken, in bytes; default 1 MiB. */
  readonly maxTxBytes?: number | undefined;
  /** How long a call waits for its store, in milliseconds; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Calls that may wait for their turn; default 100,000. */
  readonly maxQueued?: number | undefined;
  /** The order of the pool, for good once it is made; default `fifo`, by arrival. */
  readonly ordering?: Ordering | undefined;
  /** Milliseconds between two sweeps; default: nobody sweeps but the application. */
  readonly sweepEveryMs?: number | undefined;
  /** How many refused transactions are remembered; default 10,000. */
  readonly maxInvalid?: number | undefined;
  /** How long they are, in milliseconds; default 60,000; 0: not at all. */
  readonly keepInvalidMs?: number | undefined;
  /** sqlite: the pool's file. */
  readonly path?: string | undefined;
  /**
   * sqlite: whether the folder of `path` is made where it is missing; default false, true of what lies in Dolos's
   * storage path.
   */
  readonly makeFolder?: boolean | undefined;
  /** redis: where the server is, `redis://` or `rediss://`. */
  readonly url?: string | undefined;
  /** redis: what its keys begin with. */
  readonly keyPrefix?: string | undefined;
  /** Name of the election whose lease guards the tip; default `watcher` (X6). */
  readonly election?: string | undefined;
  /** Blocks are applied and undone under a lease only; default false: only while somebody holds one (X6). */
  readonly fenced?: boolean | undefined;
  /**
   * How long the watcher's lock lasts, in milliseconds; written `watcher_lock_ttl` it is in seconds. Not the pool's: hand it to
   * the election, `createElection(provider, { ttlMs: config.watcherLockTtlMs })`.
   */
  readonly watcherLockTtlMs?: number | undefined;
  /** Options of the backend's own beyond these, handed to it as they are. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Accepted from a Dolos section; has no effect. */
  readonly poolSize?: number | undefined;
  /** Accepted from a Dolos section; has no effect. */
  readonly cache?: number | undefined;
}

/** What `dolos.toml` has under `[storage.mempool]`. */
export interface DolosMempoolSection {
  readonly backend: 'in_memory' | 'redb' | 'redis' | 'ephemeral' | 'sqlite';
  readonly path?: string | undefined;
  readonly cache?: number | undefined;
  readonly url?: string | undefined;
  readonly key_prefix?: string | undefined;
  readonly pool_size?: number | undefined;
  readonly max_finalized?: number | undefined;
  /** In seconds. */
  readonly watcher_lock_ttl?: number | undefined;
}

/**
 * A whole Dolos configuration, of which only the mempool's section is read, and the folder that its path starts from. Without
 * the section the pool is in memory.
 */
export interface DolosConfig {
  readonly storage: { readonly mempool?: DolosMempoolSection | undefined; readonly path?: string | undefined };
}

/** What Dolos calls them. */
export const aliases: Readonly<Record<string, string>> = { in_memory: 'ephemeral', redb: 'sqlite' };

/** Every field there is, and how it is read. */
export const fields: { readonly [F in keyof MempoolConfig]-?: Field<MempoolConfig[F]> } = {
  backend: (value, place) => {
    const name = text(value, place);
    return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  },
  deployment: oneOf('single-node', 'multi-node'),
  pool: poolName,
  finalizeThreshold: threshold,
  dropThreshold: threshold,
  maxFinalized: count,
  maxEvents: count,
  maxRollback: count,
  maxTxBytes: count,
  timeoutMs: count,
  maxQueued: count,
  ordering: oneOf('fifo', 'priority'),
  maxTxs: limit,
  maxBytes: limit,
  maxTxGas: limit,
  maxPerSender: limit,
  maxParked: limit,
  maxAncestors: limit,
  maxDescendants: limit,
  maxEvictions: limit,
  replacementBump: bump,
  ttlMs: limit,
  ttlBlocks: limit,
  eviction: oneOf('lowest', 'none'),
  sweepEveryMs: count,
  maxInvalid: count,
  keepInvalidMs: countFromZero,
  path: text,
  makeFolder: flag,
  url: redisUrl,
  keyPrefix: text,
  election: electionName,
  fenced: flag,
  watcherLockTtlMs: count,
  options: table,
  poolSize: count,
  cache: count,
};

/** Named as in Dolos, in seconds. */
const lockSeconds = 'watcherLockTtl';

/**
 * Checks a configuration: an object, what a file held, a Dolos section or a whole Dolos configuration. What is returned may
 * be given again.
 *
 * @throws `ERR_MEMPOOL_CONFIG` naming the first bad field
 */
export function parseConfig(given: unknown): MempoolConfig {
  const { config, place } = readConfig(given);
  return requireOwn(config, place);
}

/** As `parseConfig`, and what the backend cannot be opened without may still be missing. */
export function readConfig(given: unknown): { readonly config: MempoolConfig; readonly place: FieldPath } {
  if (!isTable(given)) throw misconfigured('config', 'must be a table');
  if (!Object.hasOwn(given, 'storage')) return { config: parseSection(given, ''), place: '' };
  const storage = table(given.storage, 'storage');
  if (!Object.hasOwn(storage, 'mempool') || storage.mempool === undefined) return withoutSection(storage);
  const place = 'storage.mempool.';
  const section = parseSection(table(storage.mempool, 'storage.mempool'), place);
  return { config: fromStorageRoot(section, storage.path), place };
}

/** Memory, as in Dolos; a section that was meant is not taken for none, for its pool would end with the process. */
function withoutSection(storage: Readonly<Record<string, unknown>>): ReturnType<typeof readConfig> {
  for (const name of Object.keys(storage))
    if (name !== 'mempool' && hint(name, ['mempool']) !== '')
      throw misconfigured(`storage.${shortName(name)}`, 'is not a section known here; did you mean mempool?');
  return { config: { backend: 'ephemeral' }, place: 'storage.mempool.' };
}

function parseSection(given: Readonly<Record<string, unknown>>, prefix: FieldPath): MempoolConfig {
  const config: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const place = prefix + shortName(written);
    const name = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const target = name === lockSeconds ? 'watcherLockTtlMs' : name;
    if (Object.hasOwn(config, target)) throw misconfigured(place, 'is given twice, in two spellings');
    config[target] = name === lockSeconds ? count(value, place) * 1_000 : fieldOf(name, written, place)(value, place);
  }
  if (config.backend === undefined) throw misconfigured(`${prefix}backend`, 'is missing');
  return config as unknown as MempoolConfig;
}

function fieldOf(name: string, written: string, place: FieldPath): Field<unknown> {
  if (Object.hasOwn(fields, name)) return fields[name as keyof MempoolConfig] as Field<unknown>;
  const names = [...Object.keys(fields), lockSeconds].map(written.includes('_') ? snakeCase : String);
  throw misconfigured(place, `is not a field known here${hint(written, names)}`);
}

/** In Dolos a mempool's path starts from the storage path, and is `mempool` there where none is given. */
function fromStorageRoot(config: MempoolConfig, root: unknown): MempoolConfig {
  if (neededField(config) !== 'path' || typeof root !== 'string') return config;
  const { path = 'mempool' } = config;
  const whole = isAbsolute(path) ? path : join(root, path);
  return { ...(isBelow(root, whole) ? { makeFolder: true } : {}), ...config, path: whole };
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep, 1)[0] !== '..';
}

/** What a backend cannot be opened without. */
function requireOwn(config: MempoolConfig, prefix: FieldPath): MempoolConfig {
  const needed = neededField(config);
  if (needed !== null && config[needed] === undefined)
    throw misconfigured(prefix + needed, `is missing: backend ${config.backend} needs it`);
  return config;
}

const needs: Readonly<Record<string, 'path' | 'url'>> = { sqlite: 'path', sqliteExclusive: 'path', redis: 'url' };

function neededField({ backend }: MempoolConfig): 'path' | 'url' | null {
  return Object.hasOwn(needs, backend) ? (needs[backend] ?? null) : null;
}
