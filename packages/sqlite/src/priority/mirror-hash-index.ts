import { bytesToHash } from 'mempool-core/backend';
import { HashIndex } from '../pool/hash-index.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { FileMirror } from './mirror.ts';

/** Finds rows through the mirror, which must be up to date, because the file of a priority pool has no index of hashes. */
export class MirrorHashIndex extends HashIndex {
  readonly #mirror: FileMirror;

  constructor(file: PoolFile, mirror: FileMirror) {
    super(file);
    this.#mirror = mirror;
  }

  override seqOf(hash: Buffer): number | undefined {
    return this.#mirror.seqOf(bytesToHash(hash));
  }

  override remove(seq: number, hash: Buffer): void {
    super.remove(seq, hash);
    this.file.run('deleteEntry', seq);
  }
}
