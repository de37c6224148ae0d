import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'mempool-core';
import { blockAt, blockOf, type ReadBlock } from './chain-reader.ts';
import type { ChainCalls } from './upstream.ts';

/** Gets a block's header as JSON. It must not block. */
type HeadListener = (text: string) => void;

const pollMs = 1_000;
/** After a longer absence, blocks in between are left out. */
const maxAncestors = 32;
const maxKnown = 256;

/** New blocks of the upstream, or of the pool, including those of another fork. It polls them while there are listeners. */
export class HeadFeed {
  readonly #chain: ChainCalls;
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<HeadListener>();
  /** The hashes of the last blocks, the oldest first. */
  readonly #known = new Set<string>();
  #isRunning = false;

  constructor(chain: ChainCalls, log: Logger, signal: AbortSignal) {
    this.#chain = chain;
    this.#log = log;
    this.#signal = signal;
  }

  /** Passes every later block to the listener. Returns a function that removes it. @throws `RpcError` of the upstream; the pool's error */
  async listen(listener: HeadListener): Promise<() => void> {
    if (!this.#isRunning) {
      const latest = await blockAt(this.#chain, 'latest');
      if (latest !== null) this.#know(latest);
    }
    this.#listeners.add(listener);
    if (!this.#isRunning) void this.#run();
    return () => this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let isWell = true;
    while (this.#listeners.size > 0 && !this.#signal.aborted) {
      await sleep(pollMs, null, { signal: this.#signal }).catch(() => undefined);
      try {
        if (!this.#signal.aborted) await this.#poll();
        isWell = true;
      } catch (error) {
        if (isWell) this.#log('warn', 'new blocks cannot be read', { error: String(error) });
        isWell = false;
      }
    }
    this.#isRunning = false;
  }

  async #poll(): Promise<void> {
    const found: ReadBlock[] = [];
    let block = await blockAt(this.#chain, 'latest');
    while (block !== null && !this.#known.has(block.hash) && found.length < maxAncestors) {
      found.unshift(block);
      block = await blockOf(this.#chain, block.parent);
    }
    for (const each of found) {
      this.#know(each);
      const text = header(each);
      for (const listener of this.#listeners) listener(text);
    }
  }

  #know({ hash }: ReadBlock): void {
    this.#known.delete(hash);
    this.#known.add(hash);
    const [oldest] = this.#known.size > maxKnown ? this.#known : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** A header is the block without what is in it. */
function header({ fields }: ReadBlock): string {
  const { transactions: _, uncles: __, withdrawals: ___, size: ____, totalDifficulty: _____, ...rest } = fields;
  return JSON.stringify(rest);
}
