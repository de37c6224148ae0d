import type { OutputState, Spending } from './spending.ts';

/**
 * The outputs that a file of blocks shows. An output that none of its transactions makes was there before. A real node asks its
 * ledger, which knows all outputs.
 */
export class FileChain {
  /** The file's transactions that are in no applied block yet. */
  readonly #ahead: Set<string>;
  readonly #spent = new Set<string>();

  constructor(hashes: readonly string[]) {
    this.#ahead = new Set(hashes);
  }

  stateOf(outpoint: string): OutputState {
    if (this.#spent.has(outpoint)) return 'spent';
    return this.#ahead.has(makerOf(outpoint)) ? 'unknown' : 'unspent';
  }

  grow(hash: string, { inputs }: Spending): void {
    this.#ahead.delete(hash);
    for (const input of inputs) this.#spent.add(input);
  }
}

export function makerOf(outpoint: string): string {
  return outpoint.slice(0, outpoint.indexOf('#'));
}
