import type { Logger } from 'mempool-core';
import type { ReadyFeed } from './ready-feed.ts';
import { rpcTransaction } from './rpc-transaction.ts';
import type { Transactions } from './transactions.ts';

/** Gets transactions as JSON. It must not block. */
type FullListener = (texts: readonly string[]) => void;

/** Hashes that wait to be read. Beyond them, the oldest are left out. */
const maxWaiting = 20_000;
const slice = 256;

/** The whole transactions of a `ReadyFeed`. They are read once for all subscriptions, and only if there are subscriptions. */
export class FullFeed {
  readonly #ready: ReadyFeed;
  readonly #transactions: Transactions;
  readonly #log: Logger;
  readonly #listeners = new Set<FullListener>();
  #waiting: string[] = [];
  #isReading = false;
  #leave: (() => void) | null = null;

  constructor(ready: ReadyFeed, transactions: Transactions, log: Logger) {
    this.#ready = ready;
    this.#transactions = transactions;
    this.#log = log;
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: FullListener): () => void {
    this.#listeners.add(listener);
    this.#leave ??= this.#ready.listen((hashes) => this.#take(hashes));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#leave?.();
      this.#leave = null;
      this.#waiting = [];
    };
  }

  #take(hashes: readonly string[]): void {
    this.#waiting.push(...hashes);
    if (this.#waiting.length > maxWaiting) {
      const lost = this.#waiting.splice(0, this.#waiting.length - maxWaiting).length;
      this.#log('warn', 'subscriptions to whole transactions left some out', { lost });
    }
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) {
      const hashes = this.#waiting.splice(0, slice);
      try {
        const found = await this.#transactions.signed(hashes);
        const texts = found.map((signed) => JSON.stringify(rpcTransaction(signed)));
        for (const listener of this.#listeners) listener(texts);
      } catch (error) {
        this.#log('warn', 'transactions for subscriptions cannot be read', { error: String(error) });
      }
    }
    this.#isReading = false;
  }
}
