import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** How often readers look at the file. */
const lookEveryMs = 1_000;

/**
 * Detects that an open file was deleted or replaced. Its handle can still read and write, but no other process sees the writes, and
 * the WAL at its path may belong to another file.
 */
export class FileIdentity {
  readonly #path: string;
  readonly #opened: string | null;
  /** When readers look again, by the monotonic clock. */
  #dueAt = 0;

  constructor(path: string) {
    this.#path = path;
    this.#opened = identityAt(path);
  }

  /**
   * Checks that the path still has the opened file.
   * @throws `ERR_MEMPOOL_INCOMPATIBLE` if it has another file, or none; `ERR_MEMPOOL_UNAVAILABLE` if the check itself fails
   */
  assertSame(): void {
    this.#dueAt = 0;
    const found = this.#found();
    if (found !== this.#opened) {
      const what = found === null ? 'deleted or moved away' : 'replaced by another one';
      const message = `the file was ${what} since it was opened, close it and open it again: ${this.#path}`;
      throw new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', message, { key: this.#path });
    }
    this.#dueAt = performance.now() + lookEveryMs;
  }

  /** Does the same as `assertSame`, but at most once a second after a success, because a check costs as much as a small read. */
  assertSameOfLate(): void {
    if (performance.now() >= this.#dueAt) this.assertSame();
  }

  #found(): string | null {
    try {
      return identityAt(this.#path);
    } catch (cause) {
      const message = `the directory of the file cannot be read: ${this.#path}`;
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', message, { cause, key: this.#path });
    }
  }
}
