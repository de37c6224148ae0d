import type { PoolOptions } from '../boundary/open-options.ts';
import type { Sweep } from '../contract/pool-verbs.ts';
import type { PoolReads } from './pool-reads.ts';

export interface SweeperParts {
  readonly options: Pick<PoolOptions, 'schedule' | 'sweepEveryMs' | 'log'>;
  readonly reads: PoolReads;
  sweep(): Promise<Sweep>;
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
    if (parts.options.sweepEveryMs < Number.POSITIVE_INFINITY) this.#await();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #await(): void {
    const { schedule, sweepEveryMs } = this.#parts.options;
    this.#cancel = schedule(() => void this.#run(), sweepEveryMs);
  }

  async #run(): Promise<void> {
    try {
      if (await hasWork(this.#parts.reads)) await this.#sweepAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isStopped && !this.#isFailing) this.#report(error);
      this.#isFailing = true;
    }
    if (!this.#isStopped) this.#await();
  }

  async #sweepAll(): Promise<void> {
    while (!this.#isStopped) {
      const swept = await this.#parts.sweep();
      if (swept.woken.length > 0) this.#parts.woken();
      if (!swept.more) return;
      await new Promise(setImmediate);
    }
  }

  #report(error: unknown): void {
    try {
      this.#parts.options.log('warn', 'a sweep failed', { error });
    } catch {
      // The log itself failed, so the failure cannot be reported.
    }
  }
}

/** True if the pool has anything that a sweep may end: claims, other transactions in flight, held ones, expiries. */
async function hasWork(reads: PoolReads): Promise<boolean> {
  const { pending, propagated, acknowledged, held } = await reads.usage();
  // In a fifo pool, Pending transactions do not expire.
  return propagated + acknowledged + (reads.ordering === 'fifo' ? held : pending) > 0;
}
