import { dirname, resolve } from 'node:path';
import { isMempoolError, type MempoolConfig, MempoolError } from 'mempool-core';
import {
  hint,
  inFile,
  isTable,
  misconfigured,
  readConfig,
  readTables,
  shortName,
  withNeededFields,
} from 'mempool-core/backend';
import { type Environment, type EnvironmentFields, environmentFields, extensionsInEnvironment } from './environment.ts';
import type { SectionExtension } from './extension.ts';
import {
  type ConfiguredExtensions,
  dashboardOf,
  edgesOf,
  sectionOf as extensionOf,
  loaded,
} from './extension-sections.ts';
import { payloadHash } from './payload-hash.ts';
import { readSecret } from './secret-file.ts';
import {
  extensionSections,
  type GivenToken,
  isTokenHash,
  type ParsedSections,
  parseSection,
  type SectionName,
  sectionNames,
} from './sections.ts';
import {
  type ElectionSection,
  isLoopback,
  type ServerConfig,
  type ServerOptions,
  type TokenOptions,
} from './server-config.ts';
import { camelCased } from './spelling.ts';

/** Options of `loadServerConfig`. */
export interface LoadOptions {
  /** Variables that replace fields, such as `process.env`; default none. */
  readonly env?: Environment | undefined;
  /** Fields that replace those of the file and of the environment, such as options of a command line. */
  readonly server?: Partial<ServerOptions> | undefined;
  /**
   * Extensions by their sections, such as `edges.blockfrost`, for a program that is bundled. Default: `[edges.NAME]` loads the package
   * `mempool-edge-NAME`, or the module that the field `package` names, from the folder of the file, the working directory, the
   * server's own folder or that of the program; another section loads the package of its name, such as `mempool-sequencer`. The dashboard is loaded from
   * `mempool-dashboard`, if that is installed.
   */
  readonly extensions?: Readonly<Record<string, SectionExtension>> | undefined;
}

type Tables = Readonly<Record<string, unknown>>;

/**
 * Reads the configuration of a server from a `.toml` or `.json` file, or checks one given as an object. Its sections are
 * `mempool`, `server`, `election`, `watcher`, `edges`, `ledger` and `sequencer`. A configuration of `openMempool`, or a `dolos.toml`, is
 * read as the section `mempool`. Secrets are read from their files. Fields of the environment and of the options replace
 * those of the file.
 *
 * @throws `ERR_MEMPOOL_CONFIG` naming the file and the field, or the variable
 */
export async function loadServerConfig(given: string | object, options: LoadOptions = {}): Promise<ServerConfig> {
  const path = typeof given === 'string' ? given : null;
  const tables = divided(path === null ? given : await readTables(path), path);
  const folder = path === null ? process.cwd() : dirname(path);
  const { env = {}, extensions = {} } = options;
  const sections = new Set([
    ...extensionSections.filter((name) => Object.hasOwn(tables, name)),
    ...extensionsInEnvironment(env),
  ]);
  const known = await within(path, () => loaded([...sections], { folder, given: extensions }));
  const fields = await environmentFields(env, known);
  return within(path, () => assemble(tables, fields, { ...options, folder, known }));
}

/** A configuration without sections is that of a pool. */
function divided(given: unknown, path: string | null): Tables {
  const check = (): Tables => {
    if (!isTable(given)) throw misconfigured('config', 'must be a table');
    if (Object.hasOwn(given, 'backend') || Object.hasOwn(given, 'storage')) return { mempool: given };
    for (const name of Object.keys(given))
      if (!sectionNames.includes(name))
        throw misconfigured(shortName(name), `is not a known section${hint(name, sectionNames)}`);
    return given;
  };
  return path === null ? check() : inFile(path, check);
}

interface Surroundings extends LoadOptions {
  /** The folder from which relative paths of the file are resolved, except the path of the pool. */
  readonly folder: string;
  /** The extensions of the sections that are given, other than edges. */
  readonly known: readonly SectionExtension[];
}

async function assemble(tables: Tables, env: EnvironmentFields, around: Surroundings): Promise<ServerConfig> {
  const pool = await poolOf(tables, env, around.folder);
  const { tokens, ...rest } = sectionOf('server', tables, env);
  const server = { ...rest, tokens: await tokensOf(tokens, around.folder), ...defined(around.server ?? {}) };
  assertGuarded(server);
  const watcher = sectionOf('watcher', tables, env);
  const election = electionOf(sectionOf('election', tables, env), pool, watcher.source !== null);
  const mempool = { ...pool, election: election.name, watcherLockTtlMs: election.ttlMs ?? undefined };
  const extensions = await extensionsOf(tables, env, { around, mempool, dashboard: server.dashboard });
  const hashOf = await payloadHash(server.hash, around.folder);
  const source = located(watcher.source, around.folder);
  return { mempool, server, election, watcher: { source }, extensions, hashOf };
}

interface Loading {
  readonly around: Surroundings;
  readonly mempool: MempoolConfig<string>;
  /** If true, the dashboard is loaded. */
  readonly dashboard: boolean;
}

async function extensionsOf(
  tables: Tables,
  env: EnvironmentFields,
  { around, mempool, dashboard }: Loading,
): Promise<ConfiguredExtensions> {
  const place = { folder: around.folder, given: around.extensions ?? {}, mempool };
  const given = (section: string): unknown => {
    const table = tables[section] ?? {};
    return isTable(table) ? { ...table, ...env[section] } : table;
  };
  const sections = await Promise.all(around.known.map((each) => extensionOf(each, given(each.section), place)));
  return Object.assign(
    {},
    ...sections,
    await edgesOf(given('edges'), place),
    dashboard ? await dashboardOf(place) : {},
  );
}

async function poolOf(tables: Tables, env: EnvironmentFields, folder: string): Promise<MempoolConfig<string>> {
  const given = tables.mempool ?? {};
  if (!isTable(given)) throw misconfigured('mempool', 'must be a table');
  const { urlFile, url_file = urlFile, ...fields } = given;
  const url = env.mempool?.url === undefined ? await urlIn(url_file, folder) : {};
  try {
    const config = withNeededFields(readConfig(fields, { ...url, ...env.mempool }));
    return { ...config, backend: located(config.backend, folder) ?? config.backend };
  } catch (error) {
    throw inMempool(error);
  }
}

async function urlIn(file: unknown, folder: string): Promise<{ readonly url?: string }> {
  if (file === undefined) return {};
  if (typeof file !== 'string' || file === '') throw misconfigured('mempool.url_file', 'must be a non-empty string');
  return { url: await readSecret(resolve(folder, file), 'mempool.url_file') };
}

function inMempool(error: unknown): unknown {
  if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) return error;
  const details = { ...error.details, field: `mempool.${error.details.field ?? ''}` };
  return new MempoolError('ERR_MEMPOOL_CONFIG', `mempool.${error.message}`, details);
}

function sectionOf<S extends SectionName>(section: S, tables: Tables, env: EnvironmentFields): ParsedSections[S] {
  const { value, spelling } = camelCased(tables[section] ?? {}, section);
  return parseSection(section, isTable(value) ? { ...value, ...env[section] } : value, spelling);
}

async function tokensOf(given: readonly GivenToken[], folder: string): Promise<TokenOptions[]> {
  const tokens: TokenOptions[] = [];
  for (const [i, { name, hash, hashFile, scopes, owners }] of given.entries()) {
    const place = `server.tokens[${i}]`;
    if ((hash === undefined) === (hashFile === undefined)) throw misconfigured(place, 'needs either hash or hash_file');
    if (tokens.some((other) => other.name === name)) throw misconfigured(`${place}.name`, `is given twice: ${name}`);
    if (scopes.includes('ledger:transfer') !== (owners !== undefined))
      throw misconfigured(`${place}.owners`, 'and the scope ledger:transfer are given together: a list, or "all"');
    const known = hash ?? (await hashIn(resolve(folder, hashFile ?? ''), `${place}.hash_file`));
    tokens.push({ name, hash: known, scopes, ...(owners === undefined ? {} : { owners }) });
  }
  return tokens;
}

async function hashIn(path: string, place: string): Promise<string> {
  const hash = await readSecret(path, place);
  if (!isTokenHash(hash)) throw misconfigured(place, `names a file whose text is no hash of a token: ${path}`);
  return hash;
}

/** An address that other machines reach would let everybody in. */
function assertGuarded({ host, tokens }: ServerOptions): void {
  if (isLoopback(host) || tokens.length > 0) return;
  const problem = `is missing: other machines can reach ${host}, so a token is needed (\`mempool token\` makes one)`;
  throw misconfigured('server.tokens', problem);
}

function electionOf(
  { enabled, name, nodeId, ttlMs }: ParsedSections['election'],
  pool: MempoolConfig<string>,
  follows: boolean,
): ElectionSection {
  if (enabled === false && follows)
    throw misconfigured('election.enabled', 'is false, but a node with a watcher.source takes part in the election');
  return {
    enabled: enabled ?? follows,
    name: same('name', name, pool.election) ?? 'watcher',
    nodeId,
    ttlMs: same('ttl_ms', ttlMs, pool.watcherLockTtlMs) ?? null,
  };
}

/** Two fields have the same meaning. */
function same<T>(field: string, given: T | null, ofPool: T | undefined): T | undefined {
  if (given !== null && ofPool !== undefined && given !== ofPool)
    throw misconfigured(`election.${field}`, 'differs from the field of mempool with the same meaning');
  return given ?? ofPool;
}

/** A relative path of a module starts from the file. */
function located(module: string | null, folder: string): string | null {
  return module !== null && /^\.\.?\//.test(module) ? resolve(folder, module) : module;
}

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** An error in the configuration names the file too, but one in a variable does not. */
async function within<T>(path: string | null, work: () => Promise<T>): Promise<T> {
  if (path === null) return work();
  try {
    return await work();
  } catch (error) {
    return inFile(path, () => {
      throw error;
    });
  }
}
