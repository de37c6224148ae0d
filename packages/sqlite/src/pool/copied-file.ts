import { randomBytes } from 'node:crypto';
import { rmSync, unlinkSync } from 'node:fs';
import * as core from 'mempool-core/backend';
import type { PoolFile } from './pool-file.ts';

/** Copies of a pool's file, from which an export reads one state while others write (D3). */
export class CopiedFile {
  readonly #file: PoolFile;
  readonly #open: (path: string) => PoolFile;

  constructor(file: PoolFile, open: (path: string) => PoolFile) {
    this.#file = file;
    this.#open = open;
  }

  /** Yields the parts of a copy, in pages. Nothing is left of the copy afterwards. */
  async *pages(partsOf: (copy: PoolFile) => Iterable<core.PoolPart>): AsyncGenerator<core.PoolPart[], undefined> {
    const path = `${this.#file.path}.export-${randomBytes(6).toString('hex')}`;
    try {
      this.#file.copyTo(path);
      const copy = this.#open(path);
      try {
        unlink(path);
        yield* core.inPages(partsOf(copy));
      } catch (error) {
        throw copy.errorOf(error);
      } finally {
        copy.close();
      }
    } finally {
      rmSync(path, { force: true });
    }
  }
}

/** The copy has no name while it is read, so a killed process leaves none. Some systems keep the name of an open file. */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is removed after the export.
  }
}
