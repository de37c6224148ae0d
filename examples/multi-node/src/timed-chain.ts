/** A chain that every node knows by the clock alone: one block in every so many seconds since its beginning. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Block, ChainCursor, ChainPoint, ChainSource, SourceStep, Transaction } from 'mempool-core';

export interface TimedChainOptions {
  /** When the first block is there, in seconds since 1970. */
  readonly genesis: number;
  readonly blockSeconds: number;
}

export class TimedChain implements ChainSource {
  readonly #genesis: number;
  readonly #seconds: number;

  constructor({ genesis, blockSeconds }: TimedChainOptions) {
    this.#genesis = genesis;
    this.#seconds = blockSeconds;
  }

  async intersect(
    points: readonly ChainPoint[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ChainCursor | null> {
    const point = points.find(({ slot, hash }) => hash === this.#point(this.#indexAt(slot)).hash) ?? null;
    if (point === null && points.length > 0) return null;
    return { point, steps: this.#from(point === null ? 0 : this.#indexAt(point.slot) + 1, signal) };
  }

  /** The transaction that the block of this point's successor carries. */
  nextTransaction({ slot }: ChainPoint): Transaction {
    const payload = digest(`transaction ${this.#indexAt(slot) + 1} since ${this.#genesis}`);
    return { hash: payload.toString('hex'), payload, payloadType: 0 };
  }

  async *#from(first: number, signal: AbortSignal): AsyncGenerator<SourceStep> {
    for (let index = first; !signal.aborted; index += 1) {
      const waitMs = (this.#genesis + index * this.#seconds) * 1_000 - Date.now();
      // The signal's end is the end of the steps.
      if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) yield { kind: 'apply', block: this.#block(index) };
    }
  }

  #block(index: number): Block {
    const before = this.#point(index - 1);
    const link = index === 0 ? {} : { parent: before.hash };
    return { point: this.#point(index), ...link, seen: [this.nextTransaction(before).hash] };
  }

  #point(index: number): ChainPoint {
    const slot = this.#genesis + index * this.#seconds;
    return { slot, hash: digest(`block ${index} since ${this.#genesis}`).toString('hex') };
  }

  #indexAt(slot: number): number {
    return (slot - this.#genesis) / this.#seconds;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
