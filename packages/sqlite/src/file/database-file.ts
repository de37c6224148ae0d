import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { isMempoolError, MempoolError, type Ordering } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { fileSizeAt, makeFile } from './file-identity.ts';
import { readSql } from './sql-text.ts';
import { storeError } from './store-error.ts';

/** Marks a database as a pool, in the file's header: "mmpl". */
const applicationId = 0x6d6d706c;
/** What the header says of a file's format: one with a priority pool is none that a build without such pools reads (N2). */
export const formats: Readonly<Record<Ordering, number>> = {
  fifo: core.formatVersion,
  priority: 1_000 + core.formatVersion,
};
/** How long SQLite itself may wait for a lock, in milliseconds: the event loop stands still meanwhile. */
export const busyTimeoutMs = 2;
/** Twice SQLite's own: new hashes scatter over the index, and a page is moved into the file once for all that hit it. */
const checkpointPages = 2_000;
/** What every SQLite database begins with, and how long its head is. */
const magic = 'SQLite format 3\0';
const headerBytes = 100;
/** What the log's file grows to until then, unless one call is larger: each page has a head of 24 bytes. */
export const maxWalBytes: number = checkpointPages * (4_096 + 24);

export interface DatabaseFileOptions {
  readonly path: string;
  readonly lockingMode: 'NORMAL' | 'EXCLUSIVE';
  readonly synchronous: 'FULL' | 'NORMAL';
  /** `false`: the file must be there. */
  readonly create: boolean;
}

/** Opens the file as one of ours, and makes the tables of leases in it. `prepare` makes it ready, in the same step. */
export function openDatabase<T>(
  { path, lockingMode, synchronous, create }: DatabaseFileOptions,
  prepare: (database: Database) => void,
  use: (database: Database) => T,
): T {
  const file = resolve(path);
  const database = connect(file, create);
  try {
    database.pragma(`locking_mode = ${lockingMode}`);
    // In one step: while it looks, another process may be making the file.
    database.transaction(() => identify(database, file))();
    if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
      throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', `no write-ahead log on this file system: ${file}`);
    // After journal_mode: setting that one, and opening a file in it, lowers this.
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    database.transaction(() => claim(database, file, prepare)).immediate();
    return use(database);
  } catch (error) {
    database.close();
    throw storeError(error, file);
  }
}

function connect(path: string, create: boolean): Database {
  core.checkNode();
  if (isReadOnly(dirname(path)) || isReadOnly(path))
    throw new MempoolError('ERR_MEMPOOL_READ_ONLY', `no right to write: ${path}`, { key: path });
  try {
    assertNoStrayWal(path);
    if (create) makeFile(path, header);
    const size = fileSizeAt(path);
    if (size !== null && size < headerBytes) assertNotTruncated(path);
    return new SqliteDatabase(path, { timeout: busyTimeoutMs, fileMustExist: !create });
  } catch (error) {
    if (isMempoolError(error)) throw error;
    throw core.invalid(
      'path',
      `a file that ${create ? 'can be opened' : 'exists'}, in a directory that exists: ${path}`,
    );
  }
}

/** An empty database that is ours already. */
function header(): Buffer {
  const database = new SqliteDatabase(':memory:');
  try {
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${formats.fifo}`);
    return database.serialize();
  } finally {
    database.close();
  }
}

/** SQLite takes what is shorter than a page for a new database: here that is one which lost its end. */
function assertNotTruncated(path: string): void {
  if (!magic.startsWith(readFileSync(path, 'latin1'))) return;
  throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the file is cut short: ${path}`, { key: path });
}

/** A log without its file is another pool's, which was moved or deleted: SQLite would play it into a new file. */
function assertNoStrayWal(path: string): void {
  const log = `${path}-wal`;
  if (fileSizeAt(path) !== null || !fileSizeAt(log)) return;
  const message = `a pool's log lies there without its file; put the file back, or move the log away: ${log}`;
  throw new MempoolError('ERR_MEMPOOL_CORRUPT', message, { key: log });
}

/** What else is wrong with a path shows when it is opened. */
const unwritable: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return unwritable.includes((error as NodeJS.ErrnoException).code);
  }
}

/** Looks before anything is written: what belongs to another program stays as it is. */
function identify(database: Database, path: string): 'empty' | 'ours' {
  const application = database.pragma('application_id', { simple: true });
  const version = database.pragma('user_version', { simple: true });
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isEmpty && application === 0 && version === 0) return 'empty';
  if (application !== applicationId) throw incompatible(path, 'the database belongs to another program');
  if (!Object.values(formats).includes(version as number))
    throw incompatible(path, `its format is ${version}, not one of ${Object.values(formats).join(', ')}`);
  return 'ours';
}

/** Whoever is first, a pool or an election, makes the file one of ours. */
function claim(database: Database, path: string, prepare: (database: Database) => void): void {
  if (identify(database, path) === 'empty') {
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${formats.fifo}`);
  }
  database.exec(readSql('election/tables.sql'));
  prepare(database);
}

export function incompatible(path: string, why: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}
