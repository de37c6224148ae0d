import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { isMempoolError, MempoolError } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { assertOneName } from './file-identity.ts';
import { isFileName } from './options.ts';
import { storeError } from './store-error.ts';

/** How long a copy waits for a lock. */
const lockMs = 5_000;

/**
 * Copies the file of a pool, or of another store, while others use it. The copy is one consistent state, is checked, and is synced to the disk
 * when the call returns. The call blocks the event loop meanwhile. The path `to` never has a partial copy.
 *
 * @returns the size of the copy, in bytes
 * @throws `ERR_MEMPOOL_INVALID` naming `path` if there is no such file, or if it has several names or is mounted by itself, or `to` if that exists already or its folder does not take
 * a file; `ERR_MEMPOOL_CORRUPT` if the copy, and so the file, is damaged; `ERR_MEMPOOL_STORE_FULL`
 */
export function backUpFile(path: string, to: string): number {
  if (!existsSync(path)) throw invalid('path', `a file that exists: ${resolve(path)}`);
  assertOneName(path);
  if (!isFileName(to)) throw invalid('to', 'the name of a file');
  if (existsSync(to)) throw taken(to);
  // No other copy under way has this name.
  const partial = `${to}.${randomBytes(6).toString('hex')}.partial`;
  reserve(partial, to);
  try {
    copy(path, partial);
    check(partial, path);
    sync(partial);
    name(partial, to);
  } catch (error) {
    throw storeError(error, path);
  } finally {
    rmSync(partial, { force: true });
  }
  return statSync(to).size;
}

function taken(to: string): MempoolError {
  return invalid('to', `the name of a new file, but this one exists: ${resolve(to)}`);
}

function reserve(partial: string, to: string): void {
  try {
    closeSync(openSync(partial, 'wx'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid('to', `the name of a new file in a folder that takes it: ${resolve(to)} (${code})`);
  }
}

/** Gives a file another name. It never takes the name of another file, as a rename does. */
function name(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(to);
    // A file system without hard links: the name is taken first.
    closeSync(openSync(to, 'wx'));
    renameSync(partial, to);
  }
}

/** One transaction that reads, so that writers go on and cannot make it begin again. */
function copy(path: string, to: string): void {
  const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: lockMs });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } catch (error) {
    // Only the copy is written to.
    const full = storeError(error, to);
    throw isMempoolError(full, 'ERR_MEMPOOL_STORE_FULL') ? full : error;
  } finally {
    database.close();
  }
}

function check(copied: string, path: string): void {
  const database = new SqliteDatabase(copied, { readonly: true, fileMustExist: true });
  try {
    const found = database.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok')
      throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the file is damaged: ${path} (${String(found)})`);
  } finally {
    database.close();
  }
}

/** SQLite does not wait for the disk when it writes such a copy. */
function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
