import { type Priced, pricedTransactions } from './ranked-sample.ts';

/** The priorities of what is in a full pool, from the worst on. */
export class Standings {
  readonly #priorities: BigInt64Array;

  constructor(priorities: Iterable<bigint>) {
    this.#priorities = BigInt64Array.from(priorities).sort();
  }

  /** Newcomers each of which beats the worst when the ones before it have pushed out one each; at most half as many as there are. */
  better(wanted: number): Priced[] {
    const count = Math.max(1, Math.min(wanted, Math.floor(this.#priorities.length / 2)));
    return pricedTransactions(count, (this.#priorities[count - 1] ?? 0n) + 1n);
  }

  /** They took the places of the worst. */
  replaced(newcomers: readonly Priced[]): void {
    this.#priorities.set(newcomers.map(({ verdict }) => verdict.priority));
    this.#priorities.sort();
  }
}
