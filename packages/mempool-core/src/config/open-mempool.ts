import { mkdir, open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openNames, poolNames } from '../boundary/open-options.ts';
import { checkNames } from '../boundary/option-names.ts';
import { MempoolError } from '../contract/errors.ts';
import type { Ordering } from '../contract/limits.ts';
import type { OpenOptions } from '../contract/options.ts';
import type { Backend } from '../mempool/define-backend.ts';
import type { Mempool, MempoolOf } from '../mempool/pool-of-ordering.ts';
import { type Backends, findBackend, type ImportModule } from './backend-module.ts';
import {
  type ConfigFields,
  type ConfigOf,
  type ConfigOverrides,
  type DolosConfig,
  fields,
  type LoneDolosSection,
  type MempoolConfig,
  readConfig,
  withNeededFields,
} from './config.ts';
import { misconfigured, snakeCase } from './config-field.ts';
import { inFile, readConfigFile } from './config-file.ts';

/**
 * The options of `openMempool`. Some are values that a configuration cannot express, such as functions. The others are
 * fields that replace those of the configuration.
 */
export interface OpenMempoolOptions
  extends ConfigOverrides,
    Pick<OpenOptions, 'clock' | 'log' | 'now'>,
    Omit<Pick<OpenOptions, (typeof poolNames)[number]>, keyof ConfigOverrides> {
  /**
   * Imports the module that `backend` names. By default the module is resolved from the working directory.
   */
  readonly importModule?: ImportModule | undefined;
}

/**
 * Opens the pool that a configuration describes, with one of the given backends. `config` may also be the path of a `.toml`
 * or `.json` file. Options that are fields of a configuration replace its fields.
 *
 * @example const mempool = await openMempool('pool.toml', { ephemeral, sqlite, redis }, { maxTxs: 5_000 });
 * @throws `ERR_MEMPOOL_CONFIG` naming the field; `ERR_MEMPOOL_INVALID` naming the option, and the most similar one if
 * there is no such option; `ERR_MEMPOOL_UNSUPPORTED` if the deployment is `multi-node` and several nodes cannot share
 * the backend; errors of the backend's `open`
 */
export function openMempool<const B extends string, O extends Ordering = 'fifo'>(
  config: ConfigOf<B, O>,
  backends: Backends,
  options?: OpenMempoolOptions & { readonly ordering?: undefined },
): Promise<MempoolOf<NoInfer<O>>>;
export function openMempool<const B extends string>(
  config: string | ConfigOf<B, Ordering> | LoneDolosSection | DolosConfig,
  backends: Backends,
  options?: OpenMempoolOptions,
): Promise<Mempool>;
export async function openMempool(
  given: OpenedConfig,
  backends: Backends,
  options: OpenMempoolOptions = {},
): Promise<Mempool> {
  const { config, options: further } = await resolveOpening(given, options);
  const { importModule, ...functions } = further;
  const backend = await findBackend(config.backend, backends, importModule);
  assertDeployment(config, backend);
  for (const field of withoutEffect(config))
    options.log?.('info', `${snakeCase(field)} has no effect with backend ${config.backend}`, { field });
  if (taken(config).includes('path')) await refuseRedb(config.path);
  await prepareFolder(config);
  return backend.open({ ...config.options, ...ownOptions(config), ...openOptions(config), ...functions });
}

/** The configuration that `openMempool` accepts: an object, or the path of a `.toml` or `.json` file. */
export type OpenedConfig = string | ConfigOf<string, Ordering> | LoneDolosSection | DolosConfig;

/** The options of `openMempool` that are not fields of a configuration. */
export type FurtherOptions = Omit<OpenMempoolOptions, keyof ConfigOverrides>;

/** The names of the options of `openMempool`. */
export const openMempoolNames: ReadonlySet<string> = new Set([
  ...['importModule', 'now', 'clock', 'log'],
  ...poolNames,
  ...Object.keys(fields),
]);

/**
 * Reads the configuration that `openMempool` would open. Returns it with the fields of the options applied, and the further
 * options.
 *
 * @throws `ERR_MEMPOOL_CONFIG` naming the field; `ERR_MEMPOOL_INVALID` naming the option
 */
export async function resolveOpening(
  given: OpenedConfig,
  options: OpenMempoolOptions,
): Promise<{ readonly config: MempoolConfig<string>; readonly options: FurtherOptions }> {
  const entries = Object.entries(checkNames('options', options, openMempoolNames));
  const isField = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(fields, name);
  const instead: ConfigOverrides = Object.fromEntries(entries.filter(isField));
  const further: FurtherOptions = Object.fromEntries(entries.filter((entry) => !isField(entry)));
  if (typeof given !== 'string') return { config: withNeededFields(readConfig(given, instead)), options: further };
  const read = await readConfigFile(given, instead);
  return { config: inFile(given, () => withNeededFields(read)), options: further };
}

function assertDeployment({ deployment }: ConfigFields, { name, capabilities }: Backend): void {
  if (deployment !== 'multi-node' || capabilities.shared) return;
  throw new MempoolError(
    'ERR_MEMPOOL_UNSUPPORTED',
    `deployment is multi-node, but backend ${name} cannot be shared by several nodes`,
    { field: 'deployment' },
  );
}

/** The configuration fields of the Redis backend. */
const redisFields = [
  'url',
  'cluster',
  'sentinels',
  'masterName',
  'sentinelUsername',
  'sentinelPassword',
  'minReplicas',
  'replicaTimeoutMs',
  'natMap',
  'keyPrefix',
  'connectionName',
] as const;
/** The options of the Redis backend that no file can have. */
const redisOptions = ['tls', 'sentinelTls', 'family'] as const;

/** The part of a configuration that names a Redis, without the pool in it. */
export interface RedisPart {
  readonly fields: Partial<Pick<ConfigFields, (typeof redisFields)[number]>>;
  readonly options: { readonly [Name in (typeof redisOptions)[number]]?: unknown };
}

/** Returns the part of a configuration that names its Redis: for what shares that server with the pool. */
export function redisPart(config: ConfigFields): RedisPart {
  return { fields: pickGiven(config, redisFields), options: pickGiven(config.options ?? {}, redisOptions) };
}

function pickGiven<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Partial<Pick<T, Name>> {
  const given = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, from[name]])) as Partial<Pick<T, Name>>;
}

const ownFields = ['path', ...redisFields] as const;
type OwnField = (typeof ownFields)[number];

/** The fields of `ownFields` that each backend of this project accepts. Any other backend gets all of them. */
const takenBy: Readonly<Record<string, readonly OwnField[]>> = {
  ephemeral: [],
  sqlite: ['path'],
  redis: redisFields,
};

function taken({ backend }: ConfigFields): readonly OwnField[] {
  return (Object.hasOwn(takenBy, backend) ? takenBy[backend] : undefined) ?? ownFields;
}

function withoutEffect(config: ConfigFields): (keyof ConfigFields)[] {
  const idle = ownFields.filter((field) => !taken(config).includes(field));
  const folder = idle.includes('path') ? ['makeFolder' as const] : [];
  return [...idle, ...folder, 'poolSize' as const, 'cache' as const].filter((field) => config[field] !== undefined);
}

function ownOptions(config: ConfigFields): Partial<Pick<ConfigFields, OwnField>> {
  return pickGiven(config, taken(config));
}

/** The fields of a configuration that are options of every backend. */
const openFields = openNames.filter((name) => Object.hasOwn(fields, name)) as (keyof OpenOptions &
  keyof ConfigFields)[];

function openOptions(config: ConfigFields): OpenOptions {
  return pickGiven(config, openFields);
}

/** Creates the folder of `path` if `makeFolder` is set, as Dolos does below its storage path. */
async function prepareFolder(config: ConfigFields): Promise<void> {
  const { path, makeFolder } = config;
  if (path === undefined || makeFolder !== true || !taken(config).includes('path')) return;
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (cause) {
    const error = misconfigured('path', `must be in a folder that exists or can be created, but is ${path}`);
    error.cause = cause;
    throw error;
  }
}

const redbMagic = Buffer.from([0x72, 0x65, 0x64, 0x62, 0x1a, 0x0a, 0xa9, 0x0d, 0x0a]);

/**
 * @throws `ERR_MEMPOOL_CONFIG` for a redb file: Dolos keeps its mempool in one, and this library must not overwrite it
 */
async function refuseRedb(path: string | undefined): Promise<void> {
  if (path === undefined || !(await beginsWith(path, redbMagic))) return;
  throw misconfigured('path', `is a redb database (${path}), which stays unchanged: give this pool another path`);
}

/** True if the file starts with these bytes. False if it cannot be read: the backend reports that. */
async function beginsWith(path: string, magic: Buffer): Promise<boolean> {
  const file = await openFile(path, 'r').catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return bytesRead === magic.length && buffer.equals(magic);
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
