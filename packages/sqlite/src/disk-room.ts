import { statfsSync } from 'node:fs';
import { MempoolError } from 'mempool-core';
import type { PoolFile } from './pool-file.ts';

/** What receives leave free, in bytes: room for the write-ahead log and for a checkpoint of it. */
const reserveBytes = 16 * 1024 * 1024;
const lookAgainBytes = 1024 * 1024;

/** M3: receives stop while there is still room for the calls that free memory. */
export class DiskRoom {
  readonly #file: PoolFile;
  /** What may be received before the disk is asked again. */
  #creditBytes = 0;

  constructor(file: PoolFile) {
    this.#file = file;
  }

  /** @throws `ERR_MEMPOOL_STORE_FULL` */
  claim(bytes: number): void {
    this.#creditBytes -= bytes;
    if (this.#creditBytes >= 0) return;
    const { bavail, blocks, bsize } = statfsSync(this.#file.path);
    // Once for the log and once for the file; half of a small disk is enough of a reserve.
    const needed = Math.min(reserveBytes, (blocks * bsize) / 2) + 2 * bytes;
    const free = bavail * bsize < needed ? bavail * bsize + this.#file.reusableBytes() : bavail * bsize;
    if (free < needed) throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `the disk is almost full: ${this.#file.path}`);
    this.#creditBytes = Math.min(lookAgainBytes, (free - needed) / 4);
  }
}
