import { createHash } from 'node:crypto';
import type { Block, ChainPoint } from 'mempool-core';
import type { Transfer } from './transfer.ts';

export const gasLimit = 1_000_000;

/** What the builders build on: the next nonce of each sender, and the base fee. */
export class Chain {
  baseFee = 100;
  readonly #nonces = new Map<string, number>();
  #tip: ChainPoint | null = null;

  get height(): number {
    return this.#tip?.slot ?? 0;
  }

  nextNonce(sender: string): number {
    return this.#nonces.get(sender) ?? 0;
  }

  /** Adds a block and moves the base fee. */
  grow(transfers: readonly Transfer[], seen: readonly string[]): Block {
    for (const { sender, nonce } of transfers) this.#nonces.set(sender, nonce + 1);
    const gas = transfers.reduce((sum, each) => sum + each.gas, 0);
    this.baseFee = nextBaseFee(this.baseFee, gas);
    const parent = this.#tip?.hash;
    const slot = this.height + 1;
    this.#tip = { slot, hash: createHash('sha256').update(`block ${slot}`).digest('hex') };
    return { point: this.#tip, parent, seen };
  }
}

/** EIP-1559: a full block raises the base fee by an eighth, an empty one lowers it by an eighth. */
export function nextBaseFee(baseFee: number, gas: number): number {
  const target = gasLimit / 2;
  const change = Math.floor((baseFee * Math.abs(gas - target)) / target / 8);
  return gas > target ? baseFee + Math.max(change, 1) : baseFee - change;
}
