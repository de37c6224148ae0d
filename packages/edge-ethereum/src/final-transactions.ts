import { isMempoolError, type PriorityMempool, type Transaction } from 'mempool-core';

/** So many are found by hash, the last ones of the log. */
const maxKnown = 100_000;

/** The Finalized transactions by hash. The pool itself has them in its log only, in the order of their end. */
export class FinalTransactions {
  readonly #pool: PriorityMempool;
  /** The cursor before the entry of each hash; `undefined` is the beginning of the log. */
  readonly #before = new Map<string, string | undefined>();
  #end: string | undefined;
  #reading: Promise<void> | null = null;

  constructor(pool: PriorityMempool) {
    this.#pool = pool;
  }

  /** Returns a Finalized transaction; `null` if the log does not have it. The first call reads the whole log. @throws the pool's error */
  async get(hash: string): Promise<Transaction | null> {
    if (!this.#before.has(hash)) await this.#readNew();
    if (!this.#before.has(hash)) return null;
    const { entries } = await this.#pool.dumpFinalized({ cursor: this.#before.get(hash), limit: 1 });
    return entries.find((entry) => entry.hash === hash) ?? null;
  }

  /** Reads the entries since the last time, once for all calls under way. */
  #readNew(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      for await (const { hash, stage, cursor } of this.#pool.finalized({ cursor: this.#end })) {
        if (stage === 'Finalized') this.#add(hash);
        this.#end = cursor;
      }
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CURSOR')) throw error;
      // The pool was created again.
      this.#before.clear();
      this.#end = undefined;
    }
  }

  #add(hash: string): void {
    this.#before.delete(hash);
    this.#before.set(hash, this.#end);
    const [oldest] = this.#before.size > maxKnown ? this.#before.keys() : [];
    if (oldest !== undefined) this.#before.delete(oldest);
  }
}
