import type { Records } from './records.ts';

/** How far the clock of a process may be from the store's, in milliseconds: with more than `warn` it warns, with more than `most` it does not start. */
export const clockLimits = { warn: 500, most: 5_000 } as const;

/** Thrown when the clock of this process is too far from the store's. */
export class ClockError extends Error {
  /** By how many milliseconds this clock is ahead of the store's; negative: behind. */
  readonly offsetMs: number;

  constructor(offsetMs: number) {
    super(`the clock of this process is ${offsetMs} ms ahead of the store's: ${clockLimits.most} ms are allowed`);
    this.name = 'ClockError';
    this.offsetMs = offsetMs;
  }
}

const everyMs = 30_000;

/** The limits of a comparison of clocks. */
export interface ClockOptions {
  readonly records: Records;
  readonly now: () => number;
  /** Receives each offset of more than 500 ms. */
  readonly report: (offsetMs: number) => void;
}

/** Compares this process's clock with the store's, at the start and every 30 s. */
export class StoreClock {
  readonly #options: ClockOptions;
  readonly #timer: NodeJS.Timeout;
  #comparing: Promise<unknown> = Promise.resolve();
  #offsetMs = 0;

  private constructor(options: ClockOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      // Without an answer of the store the last offset stays.
      this.#comparing = this.compare().catch(() => undefined);
    }, everyMs).unref();
  }

  /** @throws `ClockError` if the clocks differ by more than 5 s; any error of the store */
  static async start(options: ClockOptions): Promise<StoreClock> {
    const clock = new StoreClock(options);
    try {
      const offsetMs = await clock.compare();
      if (Math.abs(offsetMs) > clockLimits.most) throw new ClockError(offsetMs);
      return clock;
    } catch (error) {
      await clock.stop();
      throw error;
    }
  }

  /** By how many milliseconds this process's clock was ahead of the store's when they were last compared; negative: behind. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Compares the clocks by a write. The offset is the least that explains its time, however long the answer took. @throws any error of the store */
  async compare(): Promise<number> {
    const { records, now, report } = this.#options;
    const before = now();
    const at = await records.put('clock', null);
    const after = now();
    this.#offsetMs = Math.max(0, before - at) + Math.min(0, after - at);
    if (Math.abs(this.#offsetMs) > clockLimits.warn) report(this.#offsetMs);
    return this.#offsetMs;
  }

  /** Ends when no comparison is on its way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#comparing;
  }
}
