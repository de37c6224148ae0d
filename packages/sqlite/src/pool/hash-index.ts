import type { Statement } from 'better-sqlite3';
import { damaged, type Row } from '../file/row.ts';
import type { PoolFile } from './pool-file.ts';

/** A new row of `tx`. */
export interface NewRow {
  readonly seq: number;
  readonly hash: Buffer;
  readonly type: number;
  readonly checksum: number;
  readonly payload: Uint8Array;
}

/** Finds the row of a hash in `tx`, with the index in the file, because other processes write to the file too. */
export class HashIndex {
  protected readonly file: PoolFile;
  readonly #insert: Statement<unknown[], unknown>;

  constructor(file: PoolFile) {
    this.file = file;
    this.#insert = file.statement('insertTx');
  }

  seqOf(hash: Buffer): number | undefined {
    return this.file.row('seqOf', hash)?.seq as number | undefined;
  }

  /** Returns the row of a transaction in flight, without its hash. */
  inflightOf(hash: Buffer): Row | undefined {
    return this.file.row('inflightOf', hash);
  }

  /**
   * Inserts a row in place of the one that the hash has. Returns the seq of that one.
   *
   * @throws `ERR_MEMPOOL_CORRUPT` if another transaction has the seq
   */
  replace(row: NewRow): number | undefined {
    // Most hashes are new: one statement looks up the hash and inserts the row.
    if (this.insert(row)) return undefined;
    const before = this.seqOf(row.hash);
    if (before !== undefined) this.remove(before, row.hash);
    if (before === undefined || !this.insert(row)) throw damaged('sequence of transactions');
    return before;
  }

  /** Inserts a row. Returns false, and writes nothing, if the hash or the seq has a row. */
  insert({ seq, hash, type, checksum, payload }: NewRow): boolean {
    return this.#insert.run(seq, hash, type, checksum, payload).changes === 1;
  }

  remove(seq: number, _hash: Buffer): void {
    this.file.run('deleteTx', seq);
  }
}
