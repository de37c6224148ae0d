import type { Logger } from '../contract/options.ts';
import type { Sweep } from '../contract/pool-verbs.ts';

export interface SweeperParts {
  sweep(): Promise<Sweep>;
  readonly everyMs: number;
  readonly schedule: Schedule;
  readonly log: Logger;
}

/** Sweeps the pool at an interval, one sweep at a time, until it is stopped. A failed sweep does not end it. */
export class Sweeper {
  readonly #parts: SweeperParts;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#await();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #await(): void {
    this.#cancel = this.#parts.schedule(() => void this.#run(), this.#parts.everyMs);
  }

  async #run(): Promise<void> {
    try {
      await this.#sweepAll();
    } catch (error) {
      this.#tell(error);
    }
    if (!this.#isStopped) this.#await();
  }

  async #sweepAll(): Promise<void> {
    while (!this.#isStopped) {
      const { more } = await this.#parts.sweep();
      if (!more) return;
      await new Promise(setImmediate);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#parts.log('warn', 'a sweep failed', { error });
    } catch {
      // The log itself failed, so the failure cannot be reported.
    }
  }
}

/** Calls `callback` once after `delayMs` milliseconds. Returns a function that cancels the call. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** A timer that does not keep the process alive. */
export const backgroundTimer: Schedule = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};
