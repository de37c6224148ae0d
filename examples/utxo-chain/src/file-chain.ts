import type { OutputState, Spending } from './spending.ts';

/**
 * The outputs as a file of blocks tells them: what none of its transactions makes was there before. A real node asks its
 * ledger, which knows them all.
 */
export class FileChain {
  /** Of the file's transactions, those that are in no block yet. */
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
