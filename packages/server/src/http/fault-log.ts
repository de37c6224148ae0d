import type { Logger } from 'mempool-core';
import type { Problem } from './problem.ts';

const everyMs = 1_000;

interface Told {
  atMs: number;
  /** Since then. */
  untold: number;
}

/**
 * Logs unexpected errors, of each code at most one per second: with the store down every request fails, and the log must
 * not fill the disk. `untold` says how many were left out before.
 */
export class FaultLog {
  readonly #log: Logger;
  readonly #clock: () => number;
  readonly #told = new Map<string, Told>();

  constructor(log: Logger, clock: () => number = () => performance.now()) {
    this.#log = log;
    this.#clock = clock;
  }

  add({ code }: Problem, error: unknown): void {
    const now = this.#clock();
    const last = this.#told.get(code);
    if (last !== undefined && now - last.atMs < everyMs) {
      last.untold += 1;
      return;
    }
    this.#told.set(code, { atMs: now, untold: 0 });
    const untold = last === undefined || last.untold === 0 ? undefined : last.untold;
    this.#log('error', 'a request failed', { code, error: String(error), untold });
  }
}
