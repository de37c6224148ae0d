import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { MempoolError } from 'mempool-core';
import { invalid } from 'mempool-core/backend';

/** Which file lies at a path, whatever it is named; `null`: none. */
export function identityAt(path: string): string | null {
  // As big integers: on some file systems the numbers are larger than a double tells apart.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** `null`: there is none. @throws `ERR_MEMPOOL_INVALID` where it is a device, a pipe or a folder */
export function fileSizeAt(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw invalid('path', `a file, and no folder or device: ${path}`);
  return found?.size ?? null;
}

/** Makes a file whole or not at all, where there is none: an opener that is killed leaves no empty one behind. */
export function makeFile(path: string, content: () => Buffer): void {
  if (identityAt(path) !== null) return;
  const made = `${path}-${randomUUID()}`;
  try {
    writeFileSync(made, content(), { flush: true, mode: 0o644 });
    linkSync(made, path);
  } catch {
    // Another was quicker, or SQLite makes it, or what is wrong with the path shows when it is opened.
  } finally {
    rmSync(made, { force: true });
  }
}

/**
 * An open file that was deleted or replaced can still be written, by a handle that nobody else will ever read from; and the
 * log beside it may be another file's by then.
 */
export class FileIdentity {
  readonly #path: string;
  readonly #opened: string | null;

  constructor(path: string) {
    this.#path = path;
    this.#opened = identityAt(path);
  }

  /** @throws `ERR_MEMPOOL_INCOMPATIBLE` where another file lies there than the one that was opened, or none */
  assertSame(): void {
    const found = identityAt(this.#path);
    if (found === this.#opened) return;
    const what = found === null ? 'deleted or moved away' : 'replaced by another one';
    const message = `the file was ${what} since it was opened, close the pool and open it again: ${this.#path}`;
    throw new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', message, { key: this.#path });
  }
}
