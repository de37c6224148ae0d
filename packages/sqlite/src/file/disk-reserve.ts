import { existsSync, statfsSync } from 'node:fs';
import { MempoolError } from 'mempool-core';
import { maxWalBytes } from './database-file.ts';
import type { SqlFile } from './sql-file.ts';
import { WalPreallocation } from './wal-preallocation.ts';

/** The bytes that receives leave free: enough for the WAL and a checkpoint of it. */
const reserveBytes = 16 * 1024 * 1024;
const lookAgainBytes = 1024 * 1024;
/** Larger calls gain less from a preallocated WAL than the preallocation costs. */
const maxPreallocatedCallBytes = 16_384;

/** Refuses growing writes while there is still disk space for the calls that free some (M3). */
export class DiskReserve {
  readonly #file: SqlFile;
  readonly #log: WalPreallocation;
  /** The bytes that may be received before the disk is checked again. */
  #creditBytes = 0;
  /** Whether there is more space than needed: only then the WAL is preallocated. */
  #isAmple = false;

  constructor(file: SqlFile) {
    this.#file = file;
    this.#log = new WalPreallocation(file);
  }

  /** Checks that there is room for these bytes. Call it in the transaction that writes them. @throws `ERR_MEMPOOL_STORE_FULL` */
  reserve(bytes: number): void {
    this.#creditBytes -= bytes;
    const { aheadBytes } = this.#log;
    if (this.#creditBytes < aheadBytes) this.#look(bytes);
    if (!this.#isAmple || bytes > maxPreallocatedCallBytes) return;
    this.#creditBytes -= aheadBytes;
    this.#log.grow();
  }

  #look(bytes: number): void {
    // The commit reports a deleted file.
    if (!existsSync(this.#file.path)) return;
    const { bavail, blocks, bsize } = statfsSync(this.#file.path);
    // The bytes count twice, for the WAL and for the file. On a small disk the reserve is half of it.
    const needed = Math.min(reserveBytes, (blocks * bsize) / 2) + 2 * bytes;
    const free = bavail * bsize < needed ? bavail * bsize + this.#file.reusableBytes() : bavail * bsize;
    if (free < needed) throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `the disk is almost full: ${this.#file.path}`);
    this.#isAmple = free - needed >= 2 * maxWalBytes;
    this.#creditBytes = Math.min(lookAgainBytes, (free - needed) / 4);
  }
}
