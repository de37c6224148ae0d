import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import { type MempoolConfig, parseConfig, readConfig } from './config.ts';
import { isTable } from './config-field.ts';

/**
 * Reads a configuration from a `.toml` or `.json` file; a `dolos.toml` does as it is. A backend named by a relative path is
 * looked for beside the file; every other path starts from the working directory.
 *
 * @throws `ERR_MEMPOOL_CONFIG` in one line: with the path where the file cannot be read, with its line where the syntax is
 * wrong, with the field where a value is
 * @param instead wins over the file, as what a command line says does; what the backend still needs is asked for by `openMempool`
 */
export async function loadConfig(path: string, instead: ConfigOverrides = {}): Promise<MempoolConfig> {
  const parsed = parseFile(path, await read(path));
  const given = Object.entries(instead).filter(([, value]) => value !== undefined);
  try {
    const config =
      given.length > 0 ? readConfig(overridden(parsed, Object.fromEntries(given))).config : parseConfig(parsed);
    if (instead.backend !== undefined || !/^\.\.?\//.test(config.backend)) return config;
    return { ...config, backend: resolve(dirname(path), config.backend) };
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) throw error;
    throw new MempoolError('ERR_MEMPOOL_CONFIG', `${path}: ${error.message}`, error.details);
  }
}

/** Fields that a command line may give instead of the file's. A path starts from the working directory. */
export type ConfigOverrides = { readonly [F in 'backend' | 'path' | 'url']?: MempoolConfig[F] | undefined };

function overridden(parsed: unknown, instead: ConfigOverrides): unknown {
  if (!isTable(parsed)) return parsed;
  const storage = Object.hasOwn(parsed, 'storage') ? parsed.storage : undefined;
  if (!isTable(storage)) return { ...parsed, ...instead };
  const mempool = Object.hasOwn(storage, 'mempool') ? storage.mempool : undefined;
  if (mempool !== undefined && !isTable(mempool)) return parsed;
  const path = instead.path === undefined ? {} : { path: resolve(instead.path) };
  return { ...parsed, storage: { ...storage, mempool: { ...mempool, ...instead, ...path } } };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, reasonOf(cause), cause);
  }
}

function parseFile(path: string, text: string): unknown {
  switch (extname(path)) {
    case '.toml':
      return parseToml(path, text);
    case '.json':
      return parseJson(path, text);
    default:
      throw unreadable(path, 'the name of a configuration file ends in .toml or .json', undefined);
  }
}

/** Numbers too large for us may stand in sections that are not ours. */
function parseToml(path: string, text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    throw unreadable(`${path}:${cause.line}`, cause.message, cause);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const line = text.slice(0, faultOffset(text, message(cause))).split('\n').length;
    const [problem] = message(cause).split(/ in JSON at position|, (?:\.\.\.)?"/, 1);
    throw unreadable(`${path}:${line}`, `invalid JSON: ${problem}`, cause);
  }
}

/** Not every error of the parser says where it is: then the shortest beginning that has it does. */
function faultOffset(text: string, problem: string): number {
  const [, position] = /at position (\d+)/.exec(problem) ?? [];
  if (position !== undefined) return Number(position);
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hasUnexpectedToken(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return message(error).startsWith('Unexpected token');
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreadable(place: string, problem: string, cause: unknown): MempoolError {
  const [line] = problem.split('\n', 1);
  return new MempoolError('ERR_MEMPOOL_CONFIG', `${place}: ${line}`, { cause });
}

/** Node's message ends with the call and the path, which is named already. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/, \w+(?: '.*')?$/s, '') : 'cannot be read';
}
