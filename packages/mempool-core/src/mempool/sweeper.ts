import type { CheckedStore } from '../boundary/checked-store.ts';
import type { PoolCalls } from './pool-calls.ts';

export interface SweeperParts {
  readonly calls: PoolCalls;
  /** Called when a sweep has woken held transactions, because that writes no event. */
  woken(): void;
}

/**
 * Sweeps the pool at an interval, one sweep at a time, until it is stopped. It sweeps only if the pool has transactions
 * that a sweep may change. It continues after a failed sweep.
 */
export class Sweeper {
  readonly #parts: SweeperParts;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  /** True while sweeps fail: only the first failure is logged. */
  #isFailing = false;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    if (parts.calls.options.sweepEveryMs < Number.POSITIVE_INFINITY) this.#await();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #await(): void {
    const { schedule, sweepEveryMs } = this.#parts.calls.options;
    this.#cancel = schedule(() => void this.#run(), sweepEveryMs);
  }

  async #run(): Promise<void> {
    try {
      const { calls } = this.#parts;
      if (await hasWork(calls.store)) await this.#sweepAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isStopped && !this.#isFailing) this.#report(error);
      this.#isFailing = true;
    }
    if (!this.#isStopped) this.#await();
  }

  async #sweepAll(): Promise<void> {
    const { calls, woken } = this.#parts;
    while (!this.#isStopped) {
      const swept = await calls.read('sweep', (store) => store.sweep(calls.timed(undefined)));
      if (swept.woken.length > 0) woken();
      if (!swept.more) return;
      await new Promise(setImmediate);
    }
  }

  #report(error: unknown): void {
    try {
      this.#parts.calls.options.log('warn', 'a sweep failed', { error });
    } catch {
      // The log itself failed, so the failure cannot be reported.
    }
  }
}

/** True if the pool has anything that a sweep may end: claims, other transactions in flight, held ones, expiries. */
async function hasWork(store: CheckedStore): Promise<boolean> {
  const { pending, propagated, acknowledged, held } = await store.usage();
  // In a fifo pool, Pending transactions do not expire.
  return propagated + acknowledged + (store.ordering === 'fifo' ? held : pending) > 0;
}
