import { createHash } from 'node:crypto';
import type { ChainPoint } from 'mempool-core';
import type { Transfer } from './transfer.ts';

/** The state that the application validates against: the balance of each account, and the next nonce that it must use. */
export class Chain {
  readonly #balances: Map<string, number>;
  readonly #nonces = new Map<string, number>();
  #tip: ChainPoint | null = null;

  constructor(balances: Readonly<Record<string, number>>) {
    this.#balances = new Map(Object.entries(balances));
  }

  get height(): number {
    return this.#tip?.slot ?? 0;
  }

  balance(account: string): number {
    return this.#balances.get(account) ?? 0;
  }

  nextNonce(account: string): number {
    return this.#nonces.get(account) ?? 0;
  }

  /** Adds a block of these transfers. Returns its point, and the hash of its parent. */
  grow(transfers: readonly Transfer[]): { readonly point: ChainPoint; readonly parent: string | undefined } {
    for (const { sender, nonce, fee } of transfers) {
      this.#balances.set(sender, this.balance(sender) - fee);
      this.#nonces.set(sender, nonce + 1);
    }
    const parent = this.#tip?.hash;
    const slot = this.height + 1;
    this.#tip = { slot, hash: createHash('sha256').update(`block ${slot}`).digest('hex') };
    return { point: this.#tip, parent };
  }
}
