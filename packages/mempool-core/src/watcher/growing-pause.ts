import { setTimeout as delay } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** Pauses between attempts. Each pause is twice as long as the one before, up to 5 seconds. */
export class GrowingPause {
  readonly #firstMs: number;
  #nextMs: number;

  constructor(firstMs: number = firstPauseMs) {
    this.#firstMs = firstMs;
    this.#nextMs = firstMs;
  }

  /** Waits for one pause. Resolves when the pause is over or the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(longestPauseMs, pauseMs * 2);
    // Only an abort makes it reject.
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
