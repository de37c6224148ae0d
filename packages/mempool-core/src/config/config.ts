import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hint, shortName } from '../boundary/option-names.ts';
import type { Thresholds } from '../contract/lifecycle.ts';
import { type LimitKind, type Limits, limitNames, limitRows, type Ordering } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import {
  addresses,
  addressMap,
  bump,
  count,
  countFromZero,
  electionName,
  type Field,
  type FieldPath,
  type FieldSchema,
  field,
  flag,
  isTable,
  lifetime,
  limit,
  misconfigured,
  oneOf,
  poolName,
  priority,
  redisUrl,
  snakeCase,
  table,
  text,
  threshold,
} from './config-field.ts';

/** The fields of a configuration. `MempoolConfig` makes those required that a backend needs. */
export interface ConfigFields extends Partial<Thresholds>, Partial<Retention>, Partial<Limits> {
  /**
   * The name of a backend that is passed to `openMempool`, such as `ephemeral`, `sqlite` or `redis`. Any other name is a
   * module that exports a backend: as its default export, as its only one, or as a named one (`module#name`). `in_memory`
   * means `ephemeral`, and `redb` means `sqlite`.
   */
  readonly backend: string;
  /** With `multi-node`, `openMempool` rejects a backend that several nodes cannot share. Default `single-node`. */
  readonly deployment?: 'single-node' | 'multi-node' | undefined;
  /** Name of the pool; default `mempool`. */
  readonly pool?: string | undefined;
  /** The largest payload accepted, in bytes; default 1 MiB. */
  readonly maxTxBytes?: number | undefined;
  /** How long a transaction may be in flight, in milliseconds, or `Infinity`; in a file also `never` (L14). */
  readonly inflightTtlMs?: number | undefined;
  /** How long a call waits for its store, in milliseconds, before it fails; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of waiting calls; default 100,000. */
  readonly maxQueued?: number | undefined;
  /** The order of the pool, fixed when it is made; default `fifo`. */
  readonly ordering?: Ordering | undefined;
  /** Milliseconds between two automatic sweeps; default 1,000. `Infinity`, in a file also `never`, turns them off. */
  readonly sweepEveryMs?: number | undefined;
  /** The maximum number of refused transactions that are remembered; default 10,000. */
  readonly maxInvalid?: number | undefined;
  /** How long a refused transaction is remembered, in milliseconds; default 60,000. 0 turns this off. */
  readonly keepInvalidMs?: number | undefined;
  /** sqlite: the path of the pool's file. */
  readonly path?: string | undefined;
  /**
   * sqlite: if true, the folder of `path` is created if it is missing. Default false; true for a path below the storage
   * path of a Dolos configuration.
   */
  readonly makeFolder?: boolean | undefined;
  /** redis: the URL of the server, `redis://` or `rediss://`. With `cluster`, its user, password and TLS hold for all nodes. */
  readonly url?: string | undefined;
  /** redis: nodes of a Redis Cluster, each `host:port`. The client finds the others if one of them answers. */
  readonly cluster?: readonly string[] | undefined;
  /** redis: the Sentinels that watch the master, each `host:port`. Then only user, password, TLS and database of `url` are used. */
  readonly sentinels?: readonly string[] | undefined;
  /** redis: the name under which the Sentinels watch the master. */
  readonly masterName?: string | undefined;
  /** redis: the user name for the Sentinels. */
  readonly sentinelUsername?: string | undefined;
  /** redis: the password for the Sentinels. */
  readonly sentinelPassword?: string | undefined;
  /** redis: how many replicas must have a write before the call is answered; default 0. */
  readonly minReplicas?: number | undefined;
  /** redis: how long a write waits for them, in milliseconds; default 1,000. */
  readonly replicaTimeoutMs?: number | undefined;
  /** redis: a map from the `host:port` that a server of a cluster, or behind Sentinels, reports to the one that reaches it. */
  readonly natMap?: Readonly<Record<string, string>> | undefined;
  /** redis: the prefix of its keys. */
  readonly keyPrefix?: string | undefined;
  /** redis: the name of the connections in `CLIENT LIST`; default none. */
  readonly connectionName?: string | undefined;
  /** The election whose lease guards the tip; default `watcher` (X6). */
  readonly election?: string | undefined;
  /** If true, `confirm` and `rollback` always need a lease. If false, they need one while a node has it (X6). Default false. */
  readonly fenced?: boolean | undefined;
  /**
   * The duration of the watcher's lock, in milliseconds. A file may also name it `watcher_lock_ttl`, in seconds. The pool
   * does not use it. Pass it to the election: `createElection(provider, { ttlMs: config.watcherLockTtlMs })`.
   */
  readonly watcherLockTtlMs?: number | undefined;
  /** Other options of the backend, passed to it unchanged. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Accepted from a Dolos section; has no effect. */
  readonly poolSize?: number | undefined;
  /** Accepted from a Dolos section; has no effect. */
  readonly cache?: number | undefined;
}

/** The fields that each backend of this project needs. Any other backend needs none. */
interface NeededFields {
  readonly ephemeral: object;
  readonly in_memory: object;
  readonly sqlite: { readonly path: string };
  readonly redb: { readonly path: string };
  readonly redis:
    | { readonly url: string }
    | { readonly cluster: readonly string[] }
    | { readonly sentinels: readonly string[]; readonly masterName: string };
}

/** The names of the backends of this project, and the names that Dolos uses for them. */
export type BackendName = keyof NeededFields;

/**
 * The configuration of a pool, as an object or as a TOML or JSON file. Field names of a file may be in camel or in snake
 * case. The required fields depend on the backend: `path` for `sqlite`; `url`, `cluster` or `sentinels` for `redis`.
 * `MempoolConfig<'mine'>` is the type for a third-party backend.
 */
export type MempoolConfig<B extends string = BackendName, O extends Ordering = Ordering> = B extends string
  ? ConfigOf<B, O>
  : never;

/** The configuration of a pool on this backend, in a form from which TypeScript infers the backend. */
export type ConfigOf<B extends string, O extends Ordering> = ConfigFields & {
  readonly backend: B;
  readonly ordering?: O | undefined;
} & (B extends BackendName ? NeededFields[B] : object);

/** The section `[storage.mempool]` of a `dolos.toml`. */
export interface DolosMempoolSection {
  readonly backend: BackendName;
  readonly path?: string | undefined;
  readonly cache?: number | undefined;
  readonly url?: string | undefined;
  readonly key_prefix?: string | undefined;
  readonly pool_size?: number | undefined;
  readonly max_finalized?: number | undefined;
  /** The duration of the watcher's lock, in seconds. */
  readonly watcher_lock_ttl?: number | undefined;
}

/** A Dolos section without the rest of its file. Because the storage path is missing, it needs the fields of its backend. */
export type LoneDolosSection = {
  readonly [B in BackendName]: DolosMempoolSection & { readonly backend: B } & NeededFields[B];
}[BackendName];

/**
 * A whole Dolos configuration. Only `storage.mempool` and `storage.path` are read. The path of the mempool is resolved from
 * `storage.path`. Without the section `storage.mempool`, the pool is in memory.
 */
export interface DolosConfig {
  /** The section `[storage]` of the file. */
  readonly storage: { readonly mempool?: DolosMempoolSection | undefined; readonly path?: string | undefined };
}

/** Maps the names that Dolos uses for backends to those of this project. */
export const aliases: Readonly<Record<string, string>> = { in_memory: 'ephemeral', redb: 'sqlite' };

const fieldOfKind: Readonly<Record<LimitKind, Field<unknown>>> = {
  count: limit,
  duration: lifetime,
  percentage: bump,
  priority,
  eviction: oneOf('lowest', 'none'),
};

const limitFields = Object.fromEntries(
  limitNames.map((name) => [name, fieldOfKind[limitRows[name].kind]]),
) as unknown as { readonly [Name in keyof Limits]: Field<Limits[Name]> };

/** All fields, each with the function that checks it. */
export const fields: { readonly [F in keyof ConfigFields]-?: Field<ConfigFields[F]> } = {
  backend: field(text.schema, (value, place) => {
    const name = text(value, place);
    return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  }),
  deployment: oneOf('single-node', 'multi-node'),
  pool: poolName,
  finalizeThreshold: threshold,
  dropThreshold: threshold,
  maxFinalized: count,
  maxEvents: count,
  maxRollback: count,
  maxTxBytes: count,
  inflightTtlMs: threshold,
  timeoutMs: count,
  maxQueued: count,
  ordering: oneOf('fifo', 'priority'),
  ...limitFields,
  sweepEveryMs: threshold,
  maxInvalid: count,
  keepInvalidMs: countFromZero,
  path: text,
  makeFolder: flag,
  url: redisUrl,
  cluster: addresses,
  sentinels: addresses,
  masterName: text,
  sentinelUsername: text,
  sentinelPassword: text,
  minReplicas: countFromZero,
  replicaTimeoutMs: count,
  natMap: addressMap,
  keyPrefix: text,
  connectionName: text,
  election: electionName,
  fenced: flag,
  watcherLockTtlMs: count,
  options: table,
  poolSize: count,
  cache: count,
};

/** Where the defaults of Dolos, which its sections need not name, are others than ours. */
const dolosDefaults: Partial<ConfigFields> = { dropThreshold: 2 };

/** The name that Dolos uses for `watcherLockTtlMs`, in camel case. Its unit is seconds. */
const lockSeconds = 'watcherLockTtl';

/** Returns the JSON Schema of a configuration, for editors. It has each field in camel and in snake case. */
export function configSchema(): FieldSchema {
  const properties: Record<string, FieldSchema> = {};
  for (const [name, { schema }] of Object.entries(fields)) {
    properties[name] = schema;
    properties[snakeCase(name)] = schema;
  }
  for (const name of [lockSeconds, snakeCase(lockSeconds)]) properties[name] = count.schema;
  return { type: 'object', properties, additionalProperties: false };
}

/**
 * Checks a configuration: a `MempoolConfig`, the parsed content of a file, a Dolos section or a whole Dolos
 * configuration. Returns it in the form of `MempoolConfig`, which `parseConfig` also accepts.
 *
 * @throws `ERR_MEMPOOL_CONFIG` naming the first bad field
 */
export function parseConfig(given: unknown): MempoolConfig<string> {
  return withNeededFields(readConfig(given, {}));
}

/** Fields that replace those of a configuration; `undefined` replaces nothing. Paths are relative to the working directory. */
export type ConfigOverrides = { readonly [F in keyof ConfigFields]?: ConfigFields[F] | undefined };

/** A configuration that may lack a field that its backend needs. `place` is the path of its fields in the file. */
export interface ReadConfig {
  readonly config: ConfigFields;
  readonly place: FieldPath;
}

/** Does the same as `parseConfig`, with `overrides`, but does not check that the fields required by the backend are present. */
export function readConfig(given: unknown, overrides: ConfigOverrides): ReadConfig {
  if (!isTable(given)) throw misconfigured('config', 'must be a table');
  const instead = parseFields(table(overrides, 'options'), '');
  if (!Object.hasOwn(given, 'storage'))
    return { config: named({ ...parseFields(given, ''), ...instead }, ''), place: '' };
  const storage = table(given.storage, 'storage');
  const place = 'storage.mempool.';
  const own = Object.hasOwn(storage, 'mempool') ? storage.mempool : undefined;
  const section = own === undefined ? withoutSection(storage, instead) : table(own, 'storage.mempool');
  const defaults = own === undefined ? {} : dolosDefaults;
  const config = named({ ...defaults, ...parseFields(section, place), ...instead }, place);
  const { path } = instead;
  return {
    config: path === undefined ? fromStorageRoot(config, storage.path) : { ...config, path: resolve(path) },
    place,
  };
}

/**
 * Without a mempool section the pool is in memory, as in Dolos, unless its place is given beside the file. A section with
 * a similar name is probably a typing error, so it is rejected: a pool in memory is lost when the process ends.
 */
function withoutSection(
  storage: Readonly<Record<string, unknown>>,
  { path, url, cluster, sentinels }: ConfigOverrides,
): Readonly<Record<string, unknown>> {
  for (const name of Object.keys(storage))
    if (name !== 'mempool' && hint(name, ['mempool']) !== '')
      throw misconfigured(`storage.${shortName(name)}`, 'is not a known section; did you mean mempool?');
  return [path, url, cluster, sentinels].every((field) => field === undefined) ? { backend: 'ephemeral' } : {};
}

function parseFields(given: Readonly<Record<string, unknown>>, prefix: FieldPath): Partial<ConfigFields> {
  const config: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const place = prefix + shortName(written);
    const name = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const target = name === lockSeconds ? 'watcherLockTtlMs' : name;
    if (Object.hasOwn(config, target)) throw misconfigured(place, 'is given twice, in two spellings');
    config[target] = name === lockSeconds ? count(value, place) * 1_000 : fieldOf(name, written, place)(value, place);
  }
  return config;
}

/** @throws `ERR_MEMPOOL_CONFIG` if no backend is named */
function named(config: Partial<ConfigFields>, prefix: FieldPath): ConfigFields {
  if (config.backend === undefined) throw misconfigured(`${prefix}backend`, 'is missing');
  return config as ConfigFields;
}

function fieldOf(name: string, written: string, place: FieldPath): Field<unknown> {
  if (Object.hasOwn(fields, name)) return fields[name as keyof ConfigFields] as Field<unknown>;
  const names = [...Object.keys(fields), lockSeconds].map(written.includes('_') ? snakeCase : String);
  throw misconfigured(place, `is not a known field${hint(written, names)}`);
}

/** In Dolos the mempool's path starts from the storage path. Its default is `mempool`. */
function fromStorageRoot(config: ConfigFields, root: unknown): ConfigFields {
  if (neededField(config) !== 'path' || typeof root !== 'string') return config;
  const { path = 'mempool' } = config;
  const whole = isAbsolute(path) ? path : join(root, path);
  return { ...(isBelow(root, whole) ? { makeFolder: true } : {}), ...config, path: whole };
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep, 1)[0] !== '..';
}

/** Returns the configuration if it is complete. @throws `ERR_MEMPOOL_CONFIG` if a field that the backend needs is missing */
export function withNeededFields({ config, place }: ReadConfig): MempoolConfig<string> {
  const needed = neededField(config);
  if (needed !== null && config[needed] === undefined)
    throw misconfigured(place + needed, `is missing: backend ${config.backend} needs it`);
  return config;
}

const needs: Readonly<Record<string, 'path' | 'url'>> = { sqlite: 'path', redis: 'url' };

function neededField({ backend, cluster, sentinels }: ConfigFields): 'path' | 'url' | 'masterName' | null {
  if (backend === 'redis' && cluster !== undefined) return null;
  if (backend === 'redis' && sentinels !== undefined) return 'masterName';
  return Object.hasOwn(needs, backend) ? (needs[backend] ?? null) : null;
}
