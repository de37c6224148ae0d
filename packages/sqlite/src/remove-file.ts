import { rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { isMempoolError, MempoolError } from 'mempool-core';
import type { DriverOptions } from 'mempool-core/backend';
import { assertInPlace, connect, identify, incompatible, removed } from './file/database-file.ts';
import { realFile, versionAt } from './file/file-identity.ts';
import { poolKind } from './file/file-kind.ts';
import type { SqliteOptions } from './file/options.ts';
import { storeError } from './file/store-error.ts';
import { whileBusy } from './file/write-turns.ts';

type FileOptions = DriverOptions & SqliteOptions;

/**
 * Removes the file of the pool, SQLite's files beside it, and the lock files of elections in it (D4). A file that an election made and
 * that has no pool is removed too. Of a path that is a link, the file goes that it leads to, and the link stays.
 *
 * @throws `ERR_MEMPOOL_IN_USE` if a store or an election has the file open; `ERR_MEMPOOL_INCOMPATIBLE` for a file of another kind;
 * `ERR_MEMPOOL_CORRUPT` if the file is too damaged to find out its kind
 */
export function removeFile(options: FileOptions): Promise<boolean> {
  return whileBusy({ ...options, signal: undefined }, () => removeOnce(options));
}

function removeOnce({ path, pool, election }: FileOptions): boolean {
  const file = realFile(path);
  const connected = connectTo(file);
  if (connected === null) return false;
  const { database, identity } = connected;
  try {
    const locks = database.transaction(() => locksOf(database, file, pool))();
    holdAlone(database);
    // Another process may have removed the file since, and a third made it anew.
    assertInPlace(file, identity);
    for (const name of ['wal', 'shm', 'journal', `${election}-lock`, ...locks])
      rmSync(`${file}-${name}`, { force: true });
    // The last, so that a removal that is killed can be repeated; and before the lock ends, so that nobody opens the file meanwhile.
    rmSync(file);
    return true;
  } catch (error) {
    throw inUse(storeError(error, file), file);
  } finally {
    database.close();
  }
}

/** `null` if there is no file. @throws `ERR_MEMPOOL_UNAVAILABLE` if others removed it meanwhile and made it anew */
function connectTo(file: string): ReturnType<typeof connect> | null {
  const before = versionAt(file);
  if (before === null) return null;
  try {
    return connect(poolKind, file, false);
  } catch (error) {
    const now = versionAt(file);
    if (now === null) return null;
    throw isMempoolError(error, 'ERR_MEMPOOL_INVALID') && now !== before ? removed(file) : error;
  }
}

/** The ends of the names of lock files beside the file. @throws `ERR_MEMPOOL_INCOMPATIBLE` if the file is not this pool's */
function locksOf(database: Database, file: string, pool: string): string[] {
  if (identify(poolKind, database, file) === 'empty')
    throw incompatible(file, 'the file is empty, and not marked as a pool');
  const tables = database.prepare('SELECT name FROM sqlite_schema').pluck().all();
  const name = tables.includes('pool') ? database.prepare('SELECT name FROM pool').pluck().get() : pool;
  if (name !== pool) throw incompatible(file, `the file holds the pool ${name}`);
  if (!tables.includes('lease')) return [];
  const elections = database.prepare('SELECT name FROM lease').pluck().all().map(String);
  const locks = elections.filter((election) => /^[a-z0-9._-]+$/.test(election)).map((election) => `${election}-lock`);
  return [...locks, ...locks.map((lock) => `${lock}-journal`)];
}

/** Every store has a lock on its file for as long as it is open. Leaving the mode needs the file alone, and takes the log's files away. */
function holdAlone(database: Database): void {
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('journal_mode = DELETE');
  database.exec('BEGIN EXCLUSIVE; COMMIT');
}

function inUse(error: unknown, file: string): unknown {
  if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') || error.cause === undefined) return error;
  if (!String((error.cause as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY')) return error;
  return new MempoolError('ERR_MEMPOOL_IN_USE', `another has the file open: ${file}`, { cause: error, key: file });
}
