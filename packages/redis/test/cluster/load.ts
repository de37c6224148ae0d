import { setTimeout as pause } from 'node:timers/promises';
import type { Mempool, ReceiveOutcome, SeqQuery } from 'mempool-core';
import { transaction } from '../chain.ts';

/** A sender of transactions: a few calls under way at a time, until it is stopped. */
export class Load {
  readonly outcomes: ReceiveOutcome[] = [];
  readonly failures: unknown[] = [];
  /** The longest that a call took. */
  slowestMs = 0;
  readonly #store: Mempool;
  #sent: number;
  #isOver = false;
  readonly #senders: Promise<void>[];

  constructor(store: Mempool, { width = 8, first = 1 }: { readonly width?: number; readonly first?: number } = {}) {
    this.#store = store;
    this.#sent = first - 1;
    this.#senders = Array.from({ length: width }, () => this.#send());
  }

  /** Resolves when this many more calls have been answered. */
  async further(calls: number): Promise<void> {
    const wanted = this.#answered + calls;
    while (this.#answered < wanted) await pause(1);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#senders);
  }

  /** The hashes of all answered calls, in the order in which they were made. */
  get hashes(): string[] {
    return this.outcomes.map(({ hash }) => hash);
  }

  get #answered(): number {
    return this.outcomes.length + this.failures.length;
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      this.#sent += 1;
      const number = this.#sent;
      const began = performance.now();
      try {
        const [outcome] = await this.#store.receive([transaction(number)]);
        this.outcomes.push(outcome as ReceiveOutcome);
      } catch (error) {
        this.failures.push(error);
        // A call that fails at once must not take the turns of all others.
        await pause(5);
      }
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
    }
  }
}

/** The hashes of all Pending transactions of a pool, in order. */
export async function pendingHashes(store: Mempool): Promise<string[]> {
  const hashes: string[] = [];
  for (let after: SeqQuery['after']; ; ) {
    const { transactions, next } = await store.peekPending({ after, limit: 1_000 });
    if (transactions.length === 0) return hashes;
    hashes.push(...transactions.map(({ hash }) => hash));
    after = next;
  }
}
