import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { maxWalBytes } from './database-file.ts';
import { realFile } from './file-identity.ts';
import type { SqlFile } from './sql-file.ts';

const stepBytes = 256 * 1024;
/** The value of `PRAGMA synchronous` for FULL. */
const fullSynchronous = 2;

/**
 * Extends the WAL file before SQLite writes to it, because a sync of a write inside a file takes half as long as one of a write that
 * extends it. After a checkpoint SQLite starts at the front of the file again, so the file grows to its maximum only once.
 */
export class WalPreallocation {
  readonly #file: SqlFile;
  #isLong: boolean;

  constructor(file: SqlFile) {
    this.#file = file;
    // With lower levels SQLite syncs at checkpoints only.
    this.#isLong = file.row('synchronous')?.synchronous !== fullSynchronous;
  }

  /** The disk space that the next `grow` uses. */
  get aheadBytes(): number {
    return this.#isLong ? 0 : stepBytes;
  }

  /** Extends the file by zeros, which SQLite reads as the end of the WAL. Call it in a writing transaction, so that no one else writes there. */
  grow(): void {
    if (this.#isLong) return;
    try {
      this.#grow();
    } catch {
      // A limit on file sizes, or a file that was deleted. SQLite reports it if it matters.
      this.#isLong = true;
    }
  }

  #grow(): void {
    // A log that was replaced is not ours.
    this.#file.assertSame();
    const descriptor = openSync(`${realFile(this.#file.path)}-wal`, 'r+');
    try {
      const { size } = fstatSync(descriptor);
      this.#isLong = size >= maxWalBytes;
      if (!this.#isLong) writeSync(descriptor, Buffer.alloc(stepBytes), 0, stepBytes, size);
    } finally {
      closeSync(descriptor);
    }
  }
}
