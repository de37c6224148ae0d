import { randomUUID } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import * as core from 'mempool-core';
import type { SqliteOptions } from './backend.ts';
import { PoolFile } from './pool-file.ts';
import { storeError } from './store-error.ts';

/** Marks a database as a pool, in the file's header: "mmpl". */
const applicationId = 0x6d6d706c;
/** How long SQLite itself may wait for a lock, in milliseconds: the event loop stands still meanwhile. */
const busyMs = 2;
/** Twice SQLite's own: new hashes scatter over the index, and a page is moved into the file once for all that hit it. */
const checkpointPages = 2_000;

type FileOptions = core.DriverOptions & SqliteOptions;

/** Without the index, whose pages scatter over the whole file, a receive costs the same however many there are. */
const sharing = {
  NORMAL: 'CREATE UNIQUE INDEX IF NOT EXISTS tx_hash ON tx (hash)',
  EXCLUSIVE: 'DROP INDEX IF EXISTS tx_hash',
} as const;
type LockingMode = keyof typeof sharing;

/** Opens the file as one of any number of processes. Waits while another one makes or holds it. */
export function openShared(options: FileOptions): Promise<PoolFile> {
  return core.retryUntil({ ...options, signal: undefined }, () => openFile(options, 'NORMAL'));
}

/** @throws `ERR_MEMPOOL_IN_USE` when another process, or another store of this one, has the file open */
export function openOwn(options: FileOptions): PoolFile {
  try {
    return openFile(options, 'EXCLUSIVE');
  } catch (cause) {
    if (!core.isMempoolError(cause, 'ERR_MEMPOOL_UNAVAILABLE')) throw cause;
    throw new core.MempoolError('ERR_MEMPOOL_IN_USE', `another has the file open: ${options.path}`, { cause });
  }
}

function openFile(options: FileOptions, lockingMode: LockingMode): PoolFile {
  const path = resolve(options.path);
  const database = connect(path);
  try {
    database.pragma(`locking_mode = ${lockingMode}`);
    identify(database, path);
    if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
      throw new core.MempoolError('ERR_MEMPOOL_UNSUPPORTED', `no write-ahead log on this file system: ${path}`);
    // After journal_mode: setting that one, and opening a file in it, lowers this.
    database.pragma(`synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'}`);
    database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    database.transaction(() => prepare(database, options, lockingMode)).immediate();
    return new PoolFile(database, options.log);
  } catch (error) {
    database.close();
    throw storeError(error, path);
  }
}

function connect(path: string): Database {
  if (isReadOnly(dirname(path)) || isReadOnly(path))
    throw new core.MempoolError('ERR_MEMPOOL_READ_ONLY', `no right to write: ${path}`, { key: path });
  try {
    return new SqliteDatabase(path, { timeout: busyMs });
  } catch {
    throw core.invalid('path', 'a file that can be opened, in a directory that exists');
  }
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** Looks before anything is written: what belongs to another program stays as it is. True for a file that is still empty. */
function identify(database: Database, path: string): boolean {
  const application = database.pragma('application_id', { simple: true });
  const version = database.pragma('user_version', { simple: true });
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isEmpty && application === 0 && version === 0) return true;
  if (application !== applicationId) throw incompatible(path, 'the database belongs to another program');
  if (version !== core.formatVersion) throw incompatible(path, `its format is ${version}, not ${core.formatVersion}`);
  return false;
}

function incompatible(path: string, why: string): core.MempoolError {
  return new core.MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}

/** One step: makes the pool where no other process was quicker, and readies its file for this open. */
function prepare(database: Database, { path, pool, retention }: FileOptions, lockingMode: LockingMode): void {
  if (identify(database, path)) create(database, pool);
  const { name } = database.prepare('SELECT name FROM pool').get() as { name: unknown };
  if (name !== pool) throw incompatible(path, `the file holds the pool ${name}`);
  database.prepare(limits).run({ maxFinalized: null, maxEvents: null, maxRollback: null, ...retention });
  database.exec(sharing[lockingMode]);
}

const limits = `UPDATE pool SET max_finalized = ifnull(@maxFinalized, max_finalized),
  max_events = ifnull(@maxEvents, max_events), max_rollback = ifnull(@maxRollback, max_rollback)`;

function create(database: Database, pool: string): void {
  const { maxFinalized, maxEvents, maxRollback } = core.defaultRetention;
  database.exec(readFileSync(new URL('../sql/schema.sql', import.meta.url), 'utf8'));
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${core.formatVersion}`);
  database
    .prepare('INSERT INTO pool VALUES (1, ?, ?, ?, ?, ?)')
    .run(pool, randomUUID(), maxFinalized, maxEvents, maxRollback);
  database.exec("INSERT INTO step VALUES (0, 0, x'80', 0, 1, 0, 0, 0, 0, 0, 0, 0)");
}
