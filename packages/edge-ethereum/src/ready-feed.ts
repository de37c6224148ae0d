import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, PriorityMempool } from 'mempool-core';

/** Receives the hashes of transactions that became ready, without `0x`. It must not block. */
export type ReadyListener = (hashes: readonly string[]) => void;

/** So many hashes are kept for filters. */
const maxKept = 65_536;
const retryMs = 500;
/** The name of this reader, as a peer. No peer may send under it. */
const reader = 'edges.ethereum';

/**
 * The transactions that become ready, in that order, from the first use on. All subscriptions and filters share one reader
 * of the pool. A parked transaction is delivered when its predecessor has arrived, as with geth.
 */
export class ReadyFeed {
  readonly #pool: PriorityMempool;
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<ReadyListener>();
  #kept: string[] = [];
  /** How many hashes came before the kept ones. */
  #first = 0;
  #started: Promise<void> | null = null;

  /** @param signal ends it */
  constructor(pool: PriorityMempool, log: Logger, signal: AbortSignal) {
    this.#pool = pool;
    this.#log = log;
    this.#signal = signal;
  }

  /** Starts the feed. It misses no transaction that becomes ready after the promise has resolved. @throws the pool's error */
  start(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = null;
      throw error;
    });
    return this.#started;
  }

  /** The position after the last hash. */
  get end(): number {
    return this.#first + this.#kept.length;
  }

  /** Returns the hashes from a position on; `null` if some of them are no longer kept. */
  from(position: number): readonly string[] | null {
    return position < this.#first ? null : this.#kept.slice(position - this.#first);
  }

  /** Passes every later hash to the listener. Returns a function that removes it. */
  listen(listener: ReadyListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #start(): Promise<void> {
    const { cursors } = await this.#pool.usage();
    void this.#run(cursors.gossip);
  }

  async #run(after: string): Promise<void> {
    let cursor = after;
    while (!this.#signal.aborted) {
      const pages = this.#pool.gossip(reader, { after: cursor, hashesOnly: true, signal: this.#signal });
      try {
        for await (const { items } of pages) this.#take(items.map(({ hash }) => hash));
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#log('warn', 'the ready transactions of the pool cannot be followed', { error: String(error) });
      }
      cursor = pages.cursor;
      await sleep(retryMs, null, { signal: this.#signal }).catch(() => undefined);
    }
  }

  #take(hashes: readonly string[]): void {
    this.#kept.push(...hashes);
    for (const listener of this.#listeners) listener(hashes);
    if (this.#kept.length <= maxKept) return;
    const forgotten = this.#kept.length - maxKept / 2;
    this.#kept = this.#kept.slice(forgotten);
    this.#first += forgotten;
  }
}
