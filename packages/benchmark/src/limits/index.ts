import type { Candidate } from 'mempool-core';
import { pricedTransactions } from '../workloads/ranked-sample.ts';

/** What any ordered pool must keep, and nothing else: plain objects in a sorted array. */
export class BareIndex {
  readonly #entries: Candidate[];

  constructor(n: number) {
    this.#entries = pricedTransactions(n)
      .map(({ hash, payload, verdict }, i) => ({
        hash,
        seq: i + 1,
        bytes: payload.length,
        gas: 0,
        priority: verdict.priority,
      }))
      .sort((a, b) => (a.priority > b.priority ? -1 : 1));
  }

  /** Copies of the first ones. */
  walk(count: number): Candidate[] {
    return this.#entries.slice(0, count).map((entry) => ({ ...entry }));
  }
}
