import type { ChainPoint, Mempool } from 'mempool-core';

/** A transaction that a block has. */
export interface BlockTransaction {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly point: ChainPoint;
}

/** Finds the Confirmed and the Finalized transactions of a pool, with their bytes. */
export class BlockTransactions {
  readonly #pool: Mempool;
  /** Finalized ones whose bytes the next reading of the log looks for. */
  #asked = new Map<string, PromiseWithResolvers<Uint8Array | null>>();
  #isReading = false;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  /** Returns `null` for a transaction that waits, was dropped, or is unknown. @throws the pool's error */
  async find(hash: string): Promise<BlockTransaction | null> {
    const { confirmedAt: point } = await this.#pool.status(hash);
    if (point === null) return null;
    const [live = null] = await this.#pool.payloads([hash]);
    const bytes = live?.payload ?? (await this.#logged(hash));
    return bytes === null ? null : { hash, bytes, point };
  }

  #logged(hash: string): Promise<Uint8Array | null> {
    const asked = this.#asked.get(hash) ?? Promise.withResolvers<Uint8Array | null>();
    this.#asked.set(hash, asked);
    if (!this.#isReading) void this.#read();
    return asked.promise;
  }

  /** The log has no index by hash. So one reading serves all that asked before it began. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#asked.size > 0) {
      const asked = this.#asked;
      this.#asked = new Map();
      try {
        const found = new Map<string, Uint8Array>();
        for await (const { hash, payload } of this.#pool.finalized()) if (asked.has(hash)) found.set(hash, payload);
        for (const [hash, { resolve }] of asked) resolve(found.get(hash) ?? null);
      } catch (error) {
        for (const { reject } of asked.values()) reject(error);
      }
    }
    this.#isReading = false;
  }
}
