import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { maxWalBytes } from '../file/database-file.ts';
import { identityAt } from '../file/file-identity.ts';
import type { PoolFile } from './pool-file.ts';

const stepBytes = 256 * 1024;
/** `PRAGMA synchronous` of FULL. */
const fullSynchronous = 2;

/**
 * Makes the write-ahead log's file longer ahead of SQLite: to sync a write over bytes that a file has takes half as long as to sync
 * one that makes it longer. After a checkpoint SQLite begins at the front again, so this comes to its end.
 */
export class WalPreallocation {
  readonly #file: PoolFile;
  readonly #opened: string | null;
  #isLong: boolean;

  constructor(file: PoolFile) {
    this.#file = file;
    this.#opened = identityAt(file.path);
    // With less than that SQLite syncs at checkpoints only.
    this.#isLong = file.row('synchronous')?.synchronous !== fullSynchronous;
  }

  /** What `grow` takes of the disk. */
  get aheadBytes(): number {
    return this.#isLong ? 0 : stepBytes;
  }

  /** Inside a writing transaction, so that nobody else writes behind the end. What is no frame of the log is its end to SQLite. */
  grow(): void {
    if (this.#isLong) return;
    try {
      this.#grow();
    } catch {
      // A limit, or no such file beside a link to the pool's: SQLite says so where it matters.
      this.#isLong = true;
    }
  }

  #grow(): void {
    const descriptor = openSync(`${this.#file.path}-wal`, 'r+');
    try {
      const { size } = fstatSync(descriptor);
      // Where somebody has put another file in its place, the log of that name is not ours to write.
      this.#isLong = size >= maxWalBytes || identityAt(this.#file.path) !== this.#opened;
      if (!this.#isLong) writeSync(descriptor, Buffer.alloc(stepBytes), 0, stepBytes, size);
    } finally {
      closeSync(descriptor);
    }
  }
}
