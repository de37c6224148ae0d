import { existsSync, statfsSync } from 'node:fs';
import { MempoolError } from 'mempool-core';
import { maxWalBytes } from '../file/database-file.ts';
import type { PoolFile } from './pool-file.ts';
import { WalPreallocation } from './wal-preallocation.ts';

/** What receives leave free, in bytes: room for the write-ahead log and for a checkpoint of it. */
const reserveBytes = 16 * 1024 * 1024;
const lookAgainBytes = 1024 * 1024;
/** Bytes of a call that makes the log no longer than room for it would; what is larger gains less than the room costs. */
const maxPreallocatedCallBytes = 16_384;

/** M3: receives stop while there is still room for the calls that free memory. */
export class DiskReserve {
  readonly #file: PoolFile;
  readonly #log: WalPreallocation;
  /** What may be received before the disk is asked again. */
  #creditBytes = 0;
  /** Whether there is room for more than is needed: only then the log takes some of it ahead. */
  #isAmple = false;

  constructor(file: PoolFile) {
    this.#file = file;
    this.#log = new WalPreallocation(file);
  }

  /** Inside the transaction that writes them. @throws `ERR_MEMPOOL_STORE_FULL` */
  reserve(bytes: number): void {
    this.#creditBytes -= bytes;
    const { aheadBytes } = this.#log;
    if (this.#creditBytes < aheadBytes) this.#look(bytes);
    if (!this.#isAmple || bytes > maxPreallocatedCallBytes) return;
    this.#creditBytes -= aheadBytes;
    this.#log.grow();
  }

  #look(bytes: number): void {
    // The commit tells of a file that is gone.
    if (!existsSync(this.#file.path)) return;
    const { bavail, blocks, bsize } = statfsSync(this.#file.path);
    // Once for the log and once for the file; half of a small disk is enough of a reserve.
    const needed = Math.min(reserveBytes, (blocks * bsize) / 2) + 2 * bytes;
    const free = bavail * bsize < needed ? bavail * bsize + this.#file.reusableBytes() : bavail * bsize;
    if (free < needed) throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `the disk is almost full: ${this.#file.path}`);
    this.#isAmple = free - needed >= 2 * maxWalBytes;
    this.#creditBytes = Math.min(lookAgainBytes, (free - needed) / 4);
  }
}
