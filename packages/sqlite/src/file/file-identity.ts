import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { MempoolError } from 'mempool-core';
import { invalid } from 'mempool-core/backend';

/** Returns device and inode of the file at a path; `null` if there is none. */
export function identityAt(path: string): string | null {
  // As big integers: on some file systems the numbers do not fit a double.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Returns the identity of the file at a path with the time of its last change, as a file made anew may get the inode of the one before. */
export function versionAt(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.ctimeNs}`;
}

/** Returns the size of the file at a path; `null` if there is none. @throws `ERR_MEMPOOL_INVALID` for a device, a pipe or a folder */
export function fileSizeAt(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw invalid('path', `a file, and no folder or device: ${path}`);
  return found?.size ?? null;
}

/**
 * Creates a file with its content in one step, unless it exists, so that a process that is killed leaves no empty file. False if that is not
 * possible here.
 */
export function makeFile(path: string, content: () => Buffer): boolean {
  if (identityAt(path) !== null) return true;
  const made = `${path}-${randomUUID()}`;
  try {
    writeFileSync(made, content(), { flush: true, mode: 0o644 });
    linkSync(made, path);
    return true;
  } catch (error) {
    // SQLite will create it, also where a link leads to; any other error shows when the file is opened.
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EEXIST' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true;
  } finally {
    rmSync(made, { force: true });
  }
}

/** Returns the absolute path of the file that links lead to. SQLite keeps its other files beside that one. */
export function realFile(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // There is no file yet, or its directory cannot be read, which shows when it is opened.
    return resolve(path);
  }
}

/**
 * Checks that SQLite has one log for the file. Each name of a file has a log of its own, and so has a mounted file within its mount.
 * @throws `ERR_MEMPOOL_INVALID` for a file that is a mount point, or that has several names
 */
export function assertOneName(path: string): void {
  const file = realFile(path);
  if (isMountPoint(file)) throw invalid('path', `a file that is not mounted by itself, mount its directory: ${file}`);
  if (linksOf(file) <= 1) return;
  removeTemporaryNames(file);
  if (linksOf(file) > 1) throw invalid('path', `a file with one name, and without further hard links: ${file}`);
}

function linksOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.nlink ?? 0;
}

/** The names that `makeFile` and a backup give a file for a moment, and that stay if their process is killed. */
const temporaryName = /^(-[0-9a-f-]{36}|\.[0-9a-f]{12}\.partial)$/;

function removeTemporaryNames(file: string): void {
  const [directory, name] = [dirname(file), basename(file)];
  for (const other of readdirSync(directory)) {
    if (!other.startsWith(name) || !temporaryName.test(other.slice(name.length))) continue;
    const path = join(directory, other);
    if (identityAt(path) === identityAt(file)) rmSync(path, { force: true });
  }
}

/** By the table of this process. Devices are no sign: those of a file and its directory may be equal in spite of a mount, or differ without one. */
function isMountPoint(file: string): boolean {
  const escaped = file.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return mounts().some((line) => line.split(' ')[4] === escaped);
}

/** Empty on systems without such a table. They cannot mount a file. */
function mounts(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** How often readers look at the file. */
const lookEveryMs = 1_000;

/**
 * Detects that an open file, or its log, was deleted or replaced. The handles can still read and write, but no other process sees the
 * writes, and files at their paths may belong to another pool.
 */
export class FileIdentity {
  readonly #path: string;
  readonly #opened: readonly (readonly [path: string, identity: string | null])[];
  /** When readers look again, by the monotonic clock. */
  #dueAt = 0;

  /** Call it when the log is open. */
  constructor(path: string) {
    this.#path = path;
    const file = realFile(path);
    this.#opened = [path, `${file}-wal`, `${file}-shm`].map((each) => [each, identityAt(each)]);
  }

  /**
   * Checks that the paths still have the opened files.
   * @throws `ERR_MEMPOOL_INCOMPATIBLE` if one has another file, or none; `ERR_MEMPOOL_UNAVAILABLE` if the check itself fails
   */
  assertSame(): void {
    this.#dueAt = 0;
    for (const [path, identity] of this.#opened) {
      const found = this.#identityAt(path);
      if (found === identity) continue;
      const what = found === null ? 'deleted or moved away' : 'replaced by another one';
      const message = `the file was ${what} since it was opened, close it and open it again: ${path}`;
      throw new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', message, { key: path });
    }
    this.#dueAt = performance.now() + lookEveryMs;
  }

  /** Does the same as `assertSame`, but at most once a second after a success, because a check costs as much as a small read. */
  assertSameOfLate(): void {
    if (performance.now() >= this.#dueAt) this.assertSame();
  }

  #identityAt(path: string): string | null {
    try {
      return identityAt(path);
    } catch (cause) {
      const message = `the directory of the file cannot be read: ${this.#path}`;
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', message, { cause, key: this.#path });
    }
  }
}
