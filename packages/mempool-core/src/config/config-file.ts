import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import { type ConfigOverrides, type MempoolConfig, type ReadConfig, readConfig, withNeededFields } from './config.ts';

/**
 * Reads a configuration from a `.toml` or `.json` file, such as an unchanged `dolos.toml`. If `backend` is a relative path,
 * it is resolved from the folder of the file. Every other path is resolved from the working directory.
 *
 * @param instead fields that replace those of the file, such as options of a command line. If any is given, this function
 * does not check that the fields required by the backend are present; `openMempool` does.
 * @throws `ERR_MEMPOOL_CONFIG` with a one-line message: the path if the file cannot be read or is no UTF-8, path and line if the
 * syntax is wrong, path and field if a value is wrong
 */
export async function loadConfig(path: string, instead: ConfigOverrides = {}): Promise<MempoolConfig<string>> {
  const read = await readConfigFile(path, instead);
  const complete = Object.values(instead).every((value) => value === undefined);
  return complete ? inFile(path, () => withNeededFields(read)) : read.config;
}

/** Does the same as `loadConfig`, but never checks that the fields required by the backend are present. */
export async function readConfigFile(path: string, instead: ConfigOverrides): Promise<ReadConfig> {
  const parsed = await readTables(path);
  // What is wrong beside the file is not a fault of the file.
  readConfig({ backend: 'ephemeral' }, instead);
  const { config, place } = inFile(path, () => readConfig(parsed, instead));
  if (instead.backend !== undefined || !/^\.\.?\//.test(config.backend)) return { config, place };
  return { config: { ...config, backend: resolve(dirname(path), config.backend) }, place };
}

/**
 * Reads a `.toml` or `.json` file without checking its fields.
 * @throws `ERR_MEMPOOL_CONFIG` naming the path, and the line if the syntax is wrong
 */
export async function readTables(path: string): Promise<unknown> {
  return parseFile(path, await read(path));
}

/** Runs the check. If it throws an error in the configuration, the message also names the file. */
export function inFile<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) throw error;
    throw new MempoolError('ERR_MEMPOOL_CONFIG', `${path}: ${error.message}`, error.details);
  }
}

async function read(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw unreadable(path, reasonOf(cause), cause);
  });
  // A wrong character in a path would name another file.
  if (!isUtf8(bytes)) throw unreadable(path, 'the file is not encoded in UTF-8', undefined);
  return bytes.toString();
}

function parseFile(path: string, text: string): unknown {
  switch (extname(path)) {
    case '.toml':
      return parseToml(path, text);
    case '.json':
      return parseJson(path, text);
    default:
      throw unreadable(path, 'the name of a configuration file must end in .toml or .json', undefined);
  }
}

/** Large integers become bigints instead of errors, because other sections of the file may contain them. */
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

/**
 * The offset of a syntax error. If the parser's message lacks it, a binary search finds the shortest prefix of the text
 * with an unexpected token.
 */
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

/** The message of a file error. Cuts off the system call and the path, because the error already names the path. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/, \w+(?: '.*')?$/s, '') : 'cannot be read';
}
