import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChainSource } from 'mempool-core';
import { isTable, misconfigured, shortName } from 'mempool-core/backend';

/**
 * Returns the chain source that the module of `watcher.source` exports: the named one, else the default, else the only
 * one. A package is resolved from the working directory.
 * @throws `ERR_MEMPOOL_CONFIG` naming `watcher.source`
 */
export async function loadChainSource(module: string): Promise<ChainSource> {
  const [specifier = module, name] = module.split('#', 2);
  const exported: unknown = await importModule(specifier);
  const values: Readonly<Record<string, unknown>> = isTable(exported) ? exported : {};
  const named = values[name ?? 'default'];
  if (isSource(named)) return named;
  const sources = Object.values(values).filter(isSource);
  if (name === undefined && sources.length === 1 && sources[0] !== undefined) return sources[0];
  const wanted = name === undefined ? 'one chain source' : `a chain source named ${shortName(name)}`;
  throw misconfigured('watcher.source', `is ${shortName(specifier)}, which does not export ${wanted}, with intersect`);
}

async function importModule(specifier: string): Promise<unknown> {
  try {
    const path = isAbsolute(specifier) ? specifier : createRequire(join(process.cwd(), 'here')).resolve(specifier);
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    const error = misconfigured('watcher.source', `is ${shortName(specifier)}, a module that does not load: ${reason}`);
    error.cause = cause;
    throw error;
  }
}

function isSource(value: unknown): value is ChainSource {
  return isTable(value) && typeof value.intersect === 'function';
}
