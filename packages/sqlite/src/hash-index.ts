import { hashToBytes } from 'mempool-core';
import type { Statements } from './statements.ts';

/** What a new row of `tx` holds. */
export type NewRow = readonly [seq: number, hash: Buffer, stage: number, tick: number, type: number, checksum: number];

/** How a hash leads to its row. `settle` and `undo` end a step. */
export interface HashIndex {
  /** The row of a transaction's latest life, `undefined` for an unknown hash. */
  life(hash: string): unknown;
  /** The same with its payload. */
  record(hash: string): unknown;
  /** False where the hash has a row. */
  insert(row: NewRow): boolean;
  /** The row of this hash is gone. */
  forget(hash: Buffer): void;
  settle(): void;
  undo(): void;
}

/** The index in the file, for files that other processes write to as well. */
export class SharedHashes implements HashIndex {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  life(hash: string): unknown {
    return this.#statements.lifeByHash.get(hashToBytes(hash));
  }

  record(hash: string): unknown {
    return this.#statements.recordByHash.get(hashToBytes(hash));
  }

  insert(row: NewRow): boolean {
    return this.#statements.insert.run(...row).changes === 1;
  }

  forget(): void {}
  settle(): void {}
  undo(): void {}
}

/** A map in memory, for a file that this process has to itself. Keys are the hash's bytes as text: half as long as hex. */
export class OwnHashes implements HashIndex {
  readonly #statements: Statements;
  readonly #seqs = new Map<string, number>();
  readonly #undone: (() => void)[] = [];

  constructor(statements: Statements) {
    this.#statements = statements;
    for (const row of statements.hashes.iterate()) {
      const { seq, hash } = row as { seq: number; hash: unknown };
      if (Buffer.isBuffer(hash)) this.#seqs.set(hash.toString('latin1'), seq);
    }
  }

  life(hash: string): unknown {
    const seq = this.#seqs.get(hashToBytes(hash).toString('latin1'));
    return seq === undefined ? undefined : this.#statements.lifeBySeq.get(seq);
  }

  record(hash: string): unknown {
    const seq = this.#seqs.get(hashToBytes(hash).toString('latin1'));
    return seq === undefined ? undefined : this.#statements.recordBySeq.get(seq);
  }

  insert(row: NewRow): boolean {
    const key = row[1].toString('latin1');
    if (this.#seqs.has(key)) return false;
    this.#statements.insert.run(...row);
    this.#seqs.set(key, row[0]);
    this.#undone.push(() => this.#seqs.delete(key));
    return true;
  }

  forget(hash: Buffer): void {
    const key = hash.toString('latin1');
    const seq = this.#seqs.get(key);
    if (seq === undefined) return;
    this.#seqs.delete(key);
    this.#undone.push(() => this.#seqs.set(key, seq));
  }

  settle(): void {
    this.#undone.length = 0;
  }

  undo(): void {
    for (const step of this.#undone.reverse()) step();
    this.#undone.length = 0;
  }
}
