import { bytesToHash } from 'mempool-core/backend';
import { damaged } from '../file/row.ts';
import { HashIndex, type NewRow } from '../pool/hash-index.ts';
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

  override replace(row: NewRow): number | undefined {
    const before = this.seqOf(row.hash);
    if (before !== undefined) this.remove(before, row.hash);
    if (!this.insert(row)) throw damaged('sequence of transactions');
    return before;
  }

  override remove(seq: number, hash: Buffer): void {
    super.remove(seq, hash);
    this.file.run('deleteEntry', seq);
  }
}
