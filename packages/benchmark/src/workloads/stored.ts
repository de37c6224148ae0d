import type { Transaction } from 'mempool-core';

const hashBytes = 32;

/** The hashes of what is stored, kept as bytes: whoever asks gets fresh strings, whose hash the engine has not cached. */
export class Stored {
  readonly #bytes: Buffer;
  #count = 0;
  #next = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity * hashBytes);
  }

  get count(): number {
    return this.#count;
  }

  add(transactions: readonly Transaction[]): void {
    for (const { hash } of transactions) this.#bytes.write(hash, hashBytes * this.#count++, 'hex');
  }

  /** Different ones from all over, at most as many as there are; other ones the next time. */
  some(wanted: number): string[] {
    const count = Math.min(wanted, this.#count);
    const step = Math.floor(this.#count / count);
    const first = this.#next++ % step;
    return Array.from({ length: count }, (_, i) => this.#at(first + i * step));
  }

  /** A place from which `count` can be read in their order; another one the next time. */
  place(count: number): number {
    const places = Math.max(1, Math.floor(this.#count / count));
    return (this.#next++ % places) * Math.min(count, this.#count);
  }

  /** Those that were stored one after the other from a place on. */
  run(from: number, count: number): string[] {
    return Array.from({ length: Math.min(count, this.#count - from) }, (_, i) => this.#at(from + i));
  }

  #at(index: number): string {
    return this.#bytes.toString('hex', index * hashBytes, (index + 1) * hashBytes);
  }
}
