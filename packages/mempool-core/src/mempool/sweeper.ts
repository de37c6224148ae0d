import type { Logger } from '../contract/options.ts';
import type { Sweep } from '../contract/pool-verbs.ts';

export interface SweeperParts {
  sweep(): Promise<Sweep>;
  readonly everyMs: number;
  readonly schedule: Schedule;
  readonly log: Logger;
}

/**
 * Sweeps the pool from time to time, one sweep after the other, until it is stopped. A sweep that fails is tried again
 * at the next time.
 */
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
      // There is nobody left to tell.
    }
  }
}

/** Calls back once, after so many milliseconds. Returns what cancels it. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** A real timer, which keeps no process alive. */
export const backgroundTimer: Schedule = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};
