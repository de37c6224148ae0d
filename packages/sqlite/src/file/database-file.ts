import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { isMempoolError, MempoolError } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { assertOneName, fileSizeAt, identityAt, makeFile } from './file-identity.ts';
import type { FileKind } from './file-kind.ts';
import { storeError } from './store-error.ts';

/** SQLite does not wait for a lock: that would block the event loop. */
const busyTimeoutMs = 0;
/** Twice SQLite's default: new hashes hit pages all over the index, and a checkpoint writes each page once. */
const checkpointPages = 2_000;
/** The first bytes of every SQLite database, and the length of its header. */
const magic = 'SQLite format 3\0';
const headerBytes = 100;
/** The size of the WAL file at an automatic checkpoint, unless one call is larger. Each page has a header of 24 bytes. */
export const maxWalBytes: number = checkpointPages * (4_096 + 24);

export interface DatabaseFileOptions {
  readonly kind: FileKind;
  readonly path: string;
  readonly synchronous: 'FULL' | 'NORMAL';
  /** If false, the file must exist. */
  readonly create: boolean;
}

/** Opens the file, checks its kind, or writes the kind into a new one. `prepare` runs in the same transaction. */
export function openDatabase<T>(
  { kind, path, synchronous, create }: DatabaseFileOptions,
  prepare: (database: Database) => void,
  use: (database: Database) => T,
): T {
  const file = resolve(path);
  const { database, identity } = connect(kind, file, create);
  try {
    // In one transaction, because another process may be creating the file.
    database.transaction(() => identify(kind, database, file))();
    if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
      throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', `no write-ahead log on this file system: ${file}`);
    // From here on this connection has a lock on the file, and no removal can come between.
    assertInPlace(file, identity);
    // After journal_mode, which lowers it: when it is set, and when a file in that mode is opened.
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    database.transaction(() => claim(kind, database, file, prepare)).immediate();
    return use(database);
  } catch (error) {
    database.close();
    throw storeError(error, file);
  }
}

/** Opens a further connection to a file that this process has open. It only reads. */
export function openReader(path: string): Database {
  const file = resolve(path);
  try {
    return new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  } catch (error) {
    throw storeError(error, file);
  }
}

interface Connected {
  readonly database: Database;
  /** The identity of the file that was at the path before the open; `null` if there was none. */
  readonly identity: string | null;
}

/** Opens the file, unless it cannot be one of this package. With `create`, makes a new one. */
export function connect(kind: FileKind, path: string, create: boolean): Connected {
  core.checkNode();
  if (isReadOnly(dirname(path)) || isReadOnly(path))
    throw new MempoolError('ERR_MEMPOOL_READ_ONLY', `no right to write: ${path}`, { key: path });
  try {
    assertNoStrayWal(path);
    const isThere = create && makeFile(path, () => header(kind));
    const size = fileSizeAt(path);
    assertOneName(path);
    if (size !== null && size < headerBytes) assertNotTruncated(path);
    return openAt(path, create, isThere);
  } catch (error) {
    if (isMempoolError(error)) throw error;
    throw core.invalid(
      'path',
      `a file that ${create ? 'can be opened' : 'exists'}, in a directory that exists: ${path}`,
    );
  }
}

/** `isThere`: the file was there a moment ago. */
function openAt(path: string, create: boolean, isThere: boolean): Connected {
  const identity = identityAt(path);
  // SQLite would make an empty file, which others take for one that was cut short.
  if (isThere && identity === null) throw removed(path);
  try {
    // SQLite would make an empty file in the place of one that others have just removed.
    const database = new SqliteDatabase(path, { timeout: busyTimeoutMs, fileMustExist: !create || identity !== null });
    return { database, identity: identity ?? identityAt(path) };
  } catch (error) {
    if (identity !== null) assertInPlace(path, identity);
    throw error;
  }
}

/** The content of an empty database of the kind. */
function header({ applicationId, format }: FileKind): Buffer {
  const database = new SqliteDatabase(':memory:');
  try {
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${format}`);
    return database.serialize();
  } finally {
    database.close();
  }
}

/** SQLite treats a file shorter than a page as a new database. With SQLite's first bytes it is one that was cut short. */
function assertNotTruncated(path: string): void {
  if (!magic.startsWith(readFileSync(path, 'latin1'))) return;
  throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the file is cut short: ${path}`, { key: path });
}

/** A WAL without its database belongs to a file that was moved or deleted. SQLite would replay it into the new file. */
function assertNoStrayWal(path: string): void {
  const log = `${path}-wal`;
  // Others may make or remove both meanwhile: the file is there before its log, and for longer.
  const found = fileSizeAt(log) ? identityAt(log) : null;
  if (found === null || fileSizeAt(path) !== null || identityAt(log) !== found) return;
  const message = `a log lies there without its file; put the file back, or move the log away: ${log}`;
  throw new MempoolError('ERR_MEMPOOL_CORRUPT', message, { key: log });
}

/** Other errors of a path show when it is opened. */
const unwritable: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return unwritable.includes((error as NodeJS.ErrnoException).code);
  }
}

/** Checks the kind of a database before anything is written, so that a database of another program does not change. */
export function identify(
  { what, applicationId, readable }: FileKind,
  database: Database,
  path: string,
): 'empty' | 'ours' {
  const application = database.pragma('application_id', { simple: true });
  const version = database.pragma('user_version', { simple: true });
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isEmpty && application === 0 && version === 0) return 'empty';
  if (application !== applicationId) throw incompatible(path, `it holds no ${what}, but ${contentOf(database)}`);
  if (!readable.includes(version))
    throw incompatible(path, `it is stored in format ${version}, which this version does not know`);
  return 'ours';
}

/** Describes, for messages, a database of another kind. */
function contentOf(database: Database): string {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 5").pluck().all();
  return tables.length === 0 ? 'no tables' : `the tables ${tables.join(', ')}`;
}

/** The first to open the file marks it as ours. */
function claim(kind: FileKind, database: Database, path: string, prepare: (database: Database) => void): void {
  if (identify(kind, database, path) === 'empty') {
    database.pragma(`application_id = ${kind.applicationId}`);
    database.pragma(`user_version = ${kind.format}`);
  }
  prepare(database);
}

/** Checks that the path still has the same file. @throws `ERR_MEMPOOL_UNAVAILABLE` if it has another one, or none */
export function assertInPlace(path: string, identity: string | null): void {
  if (identity === null || identityAt(path) !== identity) throw removed(path);
}

export function removed(path: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNAVAILABLE', `the file was removed meanwhile: ${path}`, { key: path });
}

export function incompatible(path: string, why: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}
