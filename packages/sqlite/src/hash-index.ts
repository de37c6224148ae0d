import type { PoolFile } from './pool-file.ts';

/** How a hash leads to its row in `tx`. */
export interface HashIndex {
  seqOf(hash: Buffer): number | undefined;
  /** False, with nothing written, where the hash has a row. */
  insert(seq: number, hash: Buffer, ...values: unknown[]): boolean;
  remove(seq: number, hash: Buffer): void;
  /** The step was committed, or it was not. */
  settle(): void;
  undo(): void;
}

/** The index in the file, for one that other processes write to as well. */
export class SharedHashes implements HashIndex {
  readonly #file: PoolFile;

  constructor(file: PoolFile) {
    this.#file = file;
  }

  seqOf(hash: Buffer): number | undefined {
    return this.#file.row('seqOf', hash)?.['seq'] as number | undefined;
  }

  insert(...row: [number, Buffer, ...unknown[]]): boolean {
    return this.#file.run('insertTx', ...row).changes === 1;
  }

  remove(seq: number): void {
    this.#file.run('deleteTx', seq);
  }

  settle(): void {}
  undo(): void {}
}

/** A map in memory, for a file that this process has alone. Its keys are the bytes as text, half as long as hex. */
export class OwnHashes implements HashIndex {
  readonly #file: PoolFile;
  readonly #seqs = new Map<string, number>();
  readonly #undone: (() => void)[] = [];

  constructor(file: PoolFile) {
    this.#file = file;
    for (const { seq, hash } of file.rows('hashes'))
      if (Buffer.isBuffer(hash)) this.#seqs.set(hash.toString('latin1'), Number(seq));
  }

  seqOf(hash: Buffer): number | undefined {
    return this.#seqs.get(hash.toString('latin1'));
  }

  insert(...row: [number, Buffer, ...unknown[]]): boolean {
    const key = row[1].toString('latin1');
    if (this.#seqs.has(key) || this.#file.run('insertTx', ...row).changes === 0) return false;
    this.#seqs.set(key, row[0]);
    this.#undone.push(() => this.#seqs.delete(key));
    return true;
  }

  remove(seq: number, hash: Buffer): void {
    const key = hash.toString('latin1');
    this.#file.run('deleteTx', seq);
    this.#seqs.delete(key);
    this.#undone.push(() => this.#seqs.set(key, seq));
  }

  settle(): void {
    this.#undone.length = 0;
  }

  undo(): void {
    for (const step of this.#undone.reverse()) step();
    this.settle();
  }
}
