import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hint, shortName } from '../boundary/option-names.ts';
import { invalid } from '../contract/errors.ts';
import type { Backend } from '../mempool/define-backend.ts';
import { aliases } from './config.ts';
import { isTable, misconfigured } from './config-field.ts';

/** The backends that a configuration can name, by name. */
export type Backends = Readonly<Record<string, Backend>>;

/** Imports a module and returns its exports, as `import()` does. */
export type ImportModule = (specifier: string) => Promise<unknown>;

const ours: Readonly<Record<string, string>> = {
  ephemeral: 'mempool-ephemeral',
  sqlite: 'mempool-sqlite',
  redis: 'mempool-redis',
};

/**
 * Returns the backend of this name from `backends`, else the backend that the module of this name exports.
 *
 * @throws `ERR_MEMPOOL_CONFIG` if there is none; `ERR_MEMPOOL_INVALID` if `backends` or its value is not valid
 */
export async function findBackend(
  name: string,
  backends: Backends,
  importModule: ImportModule = importFromWorkingDirectory,
): Promise<Backend> {
  if (!isTable(backends)) throw invalid('backends', 'an object with the backends, such as { sqlite }');
  if (Object.hasOwn(backends, name) && backends[name] !== undefined) return given(name, backends[name]);
  const home = Object.hasOwn(ours, name) ? ours[name] : undefined;
  if (home !== undefined)
    throw misconfigured('backend', `is ${name}, which was not passed: import { ${name} } from '${home}' and pass it`);
  const [specifier = name, exported] = name.split('#', 2);
  return pick(await load(specifier, backends, importModule), specifier, exported);
}

function given(name: string, backend: unknown): Backend {
  if (!isBackend(backend)) throw invalid(`backends.${shortName(name)}`, 'a backend with name, capabilities and open');
  return backend;
}

async function load(specifier: string, backends: Backends, importModule: ImportModule): Promise<unknown> {
  try {
    return await importModule(specifier);
  } catch (cause) {
    const names = [...Object.keys(backends), ...Object.keys(ours), ...Object.keys(aliases)];
    const problem = `is ${shortName(specifier)}, neither passed nor a module that loads${hint(specifier, names)}`;
    const error = misconfigured('backend', problem);
    error.cause = cause;
    throw error;
  }
}

/**
 * Imports a module; a path starts from the working directory. A package that is not visible from here, as with strict
 * package managers, is searched from the working directory.
 */
async function importFromWorkingDirectory(specifier: string): Promise<unknown> {
  if (isAbsolute(specifier) || specifier.startsWith('.')) return import(pathToFileURL(resolve(specifier)).href);
  try {
    return await import(specifier);
  } catch (error) {
    const path = locate(specifier);
    if (path === null) throw error;
    return import(pathToFileURL(path).href);
  }
}

function locate(specifier: string): string | null {
  try {
    return createRequire(join(process.cwd(), 'here')).resolve(specifier);
  } catch {
    return null;
  }
}

/** Returns the named export. Without a name: the default export if it is a backend, else the only backend exported. */
function pick(module: unknown, specifier: string, exported: string | undefined): Backend {
  const values: Readonly<Record<string, unknown>> = isTable(module) ? module : {};
  const name = exported ?? 'default';
  const named = Object.hasOwn(values, name) ? values[name] : undefined;
  if (isBackend(named)) return named;
  const found = Object.values(values).filter(isBackend);
  if (exported === undefined && found.length === 1 && found[0] !== undefined) return found[0];
  const wanted = exported === undefined ? 'one backend' : `a backend named ${shortName(exported)}`;
  throw misconfigured(
    'backend',
    `is ${shortName(specifier)}, which does not export ${wanted} with name, capabilities and open`,
  );
}

function isBackend(value: unknown): value is Backend {
  return (
    isTable(value) && typeof value.name === 'string' && isTable(value.capabilities) && typeof value.open === 'function'
  );
}
