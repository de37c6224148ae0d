import type { Submission } from 'mempool-core';
import type { Stock } from './pool.ts';
import { freshTransactions } from './sample.ts';

/** Priorities are drawn from a window of this width: wide enough that no two are the same, narrow enough to move it on for long. */
const digits = 11;

export const hourMs = 3_600_000;

/** A submission of a priority pool, and the priority it was given. */
export interface Priced extends Submission {
  readonly verdict: { readonly priority: bigint; readonly provides?: readonly string[] };
}

/** Fresh transactions, each with a random priority of its own from `least` on. */
export function pricedTransactions(count: number, least = 0n): Priced[] {
  return freshTransactions(count).map((transaction) => ({
    ...transaction,
    // Hashes are random, and differ.
    verdict: { priority: least + BigInt(`0x${transaction.hash.slice(-digits)}`) },
  }));
}

/** A priority pool that nothing is too much for. */
export const ranked: Stock = {
  options: {
    ordering: 'priority',
    maxTxs: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
    // What a benchmark stores must stay, however long the run takes.
    ttlMs: 1_000 * hourMs,
  },
  batch: pricedTransactions,
};
