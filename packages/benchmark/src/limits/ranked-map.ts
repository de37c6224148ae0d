import TinyQueue from 'tinyqueue';
import type { Priced } from '../workloads/ranked-sample.ts';
import { isAdmissible } from './admission.ts';
import type { BareRanking, RankingLimit } from './ranking.ts';

interface RankedRecord {
  readonly hash: string;
  readonly payload: Buffer;
  readonly priority: bigint;
}

function heap(): TinyQueue<RankedRecord> {
  return new TinyQueue<RankedRecord>([], (a, b) => (a.priority < b.priority ? -1 : 1));
}

/** A Map, and a heap with the worst on top. */
export class BareRankedMap implements BareRanking {
  readonly records: Map<string, RankedRecord> = new Map();
  #worstFirst = heap();

  fill(transactions: readonly Priced[]): void {
    for (const transaction of transactions) this.#insert(transaction);
  }

  admit(newcomers: readonly Priced[]): void {
    for (const newcomer of newcomers) {
      if (this.#insert(newcomer)) this.#evict();
    }
  }

  close(): void {
    this.records.clear();
    this.#worstFirst = heap();
  }

  /** Whether it was new. */
  #insert(transaction: Priced): boolean {
    const { hash, payload, verdict } = transaction;
    if (!isAdmissible(transaction)) throw new TypeError(`${hash} cannot be taken in`);
    if (this.records.has(hash)) return false;
    const record = { hash, payload: Buffer.from(payload), priority: verdict.priority };
    this.records.set(hash, record);
    this.#worstFirst.push(record);
    return true;
  }

  #evict(): void {
    const worst = this.#worstFirst.pop();
    if (worst !== undefined) this.records.delete(worst.hash);
  }
}

export const mapRanking: RankingLimit = { name: 'bare Map and heap', open: async () => new BareRankedMap() };
