import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import {
  type DriverOptions,
  defaultRetention,
  formatVersion,
  invalid,
  isMempoolError,
  MempoolError,
  retryUntil,
} from 'mempool-core';
import type { SqliteOptions } from './backend.ts';
import { PoolFile } from './pool-file.ts';
import { sqliteCodeOf, storeError } from './store-error.ts';

/** Marks a database as a pool, in the file's header: "mmpl". */
const applicationId = 0x6d6d706c;
/** How long SQLite itself may wait for a lock, in milliseconds: the event loop stands still meanwhile. */
const busyMs = 2;
const cacheKiB = 32_768;

type FileOptions = DriverOptions & SqliteOptions;

/** Opens the file as one of any number of processes. Waits while another one makes or holds it. */
export async function openShared(options: FileOptions): Promise<PoolFile> {
  const { timeoutMs, clock } = options;
  return retryUntil({ timeoutMs, clock, signal: undefined }, () => openOnce(options, shareFile));
}

/** @throws `ERR_MEMPOOL_IN_USE` when any other process, or another store of this one, has the file open */
export function openExclusive(options: FileOptions): PoolFile {
  try {
    return openOnce(options, ownFile);
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    throw new MempoolError('ERR_MEMPOOL_IN_USE', `the file is held by another: ${options.path}`, { cause: error });
  }
}

interface Sharing {
  readonly lockingMode: 'NORMAL' | 'EXCLUSIVE';
  /** Without the index, which scatters over the whole file, a receive costs the same however many there are. */
  readonly hashIndex: string;
}

const shareFile: Sharing = {
  lockingMode: 'NORMAL',
  hashIndex: 'CREATE UNIQUE INDEX IF NOT EXISTS tx_hash ON tx (hash)',
};
const ownFile: Sharing = { lockingMode: 'EXCLUSIVE', hashIndex: 'DROP INDEX IF EXISTS tx_hash' };

function openOnce(options: FileOptions, sharing: Sharing): PoolFile {
  const path = resolve(options.path);
  const database = connect(path);
  try {
    const isNew = identify(database, path);
    configure(database, options, sharing);
    database.transaction(() => prepare(database, options, isNew, sharing)).immediate();
    return new PoolFile(path, database);
  } catch (error) {
    database.close();
    throw storeError(error, path);
  }
}

function connect(path: string): Database {
  try {
    return new SqliteDatabase(path, { timeout: busyMs });
  } catch (error) {
    if (sqliteCodeOf(error) !== 'SQLITE_CANTOPEN' && !(error instanceof TypeError)) throw storeError(error, path);
    if (isWritable(path)) throw invalid('path', 'a file, in a directory that exists');
    throw new MempoolError('ERR_MEMPOOL_READ_ONLY', `no right to write: ${path}`, { cause: error, key: path });
  }
}

function isWritable(path: string): boolean {
  const target = existsSync(path) ? path : resolve(path, '..');
  if (!existsSync(target)) return true;
  try {
    accessSync(target, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Looks before anything is written: another program's file stays as it is. True for a file that is still empty. */
function identify(database: Database, path: string): boolean {
  const application = database.pragma('application_id', { simple: true });
  const version = database.pragma('user_version', { simple: true });
  if (application !== applicationId) {
    const { objects } = database.prepare('SELECT count(*) AS objects FROM sqlite_schema').get() as { objects: number };
    if (application === 0 && version === 0 && objects === 0) return true;
    throw incompatible(path, 'the database belongs to another program');
  }
  if (version !== formatVersion) throw incompatible(path, `format ${version} is not ${formatVersion}`);
  return false;
}

function incompatible(path: string, why: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}

function configure(database: Database, options: FileOptions, { lockingMode }: Sharing): void {
  database.pragma(`locking_mode = ${lockingMode}`);
  if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', `no write-ahead log on this file system: ${options.path}`);
  // After journal_mode: setting that one, and opening a file in it, lowers this.
  database.pragma(`synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'}`);
  database.pragma(`cache_size = -${cacheKiB}`);
}

/** One step: makes the pool, or takes over its file for this open. Another process may have been quicker at making it. */
function prepare(database: Database, options: FileOptions, wasEmpty: boolean, { hashIndex }: Sharing): void {
  if (wasEmpty && identify(database, options.path)) create(database, options.pool);
  const { name } = database.prepare('SELECT name FROM pool').get() as { name: unknown };
  if (name !== options.pool) throw incompatible(options.path, `the file holds the pool ${String(name)}`);
  const { maxFinalized, maxEvents, maxRollback } = options.retention;
  database
    .prepare(
      `UPDATE pool SET max_finalized = ifnull(?, max_finalized), max_events = ifnull(?, max_events),
        max_rollback = ifnull(?, max_rollback)`,
    )
    .run(maxFinalized ?? null, maxEvents ?? null, maxRollback ?? null);
  database.exec(hashIndex);
}

function create(database: Database, pool: string): void {
  const { maxFinalized, maxEvents, maxRollback } = defaultRetention;
  database.exec(readFileSync(new URL('../sql/schema.sql', import.meta.url), 'utf8'));
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${formatVersion}`);
  database.exec("INSERT INTO step VALUES (0, 0, x'80', 0, 1, 0, 0, 0, 0, 0, 0, 0)");
  database
    .prepare('INSERT INTO pool (id, name, epoch, max_finalized, max_events, max_rollback) VALUES (1, ?, ?, ?, ?, ?)')
    .run(pool, randomUUID(), maxFinalized, maxEvents, maxRollback);
}
