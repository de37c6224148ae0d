import type { Schedule } from 'mempool-core';

/** Timers that run out when the test says so. */
export class ManualTimer {
  readonly delays: number[] = [];
  readonly #waiting = new Set<() => void>();

  readonly schedule: Schedule = (callback, delayMs) => {
    this.delays.push(delayMs);
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  };

  get waiting(): number {
    return this.#waiting.size;
  }

  /** What waits now; what is set while it runs waits for the next time. */
  runOut(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of due) callback();
  }
}
