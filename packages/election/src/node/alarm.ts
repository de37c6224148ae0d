import type { ElectionClock } from '../contract/clock.ts';

/** What the one who sleeps here waits for: a time, or a ring that came since it last slept. */
export class Alarm {
  readonly #clock: ElectionClock;
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(clock: ElectionClock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** At least a millisecond where nobody rings, so that a wrong sum never turns into a busy loop. */
  async sleep(delayMs: number): Promise<void> {
    if (!this.#rung) await this.#waitFor(Math.max(1, delayMs));
    this.#rung = false;
  }

  #waitFor(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(() => this.#wake?.(), delayMs);
      this.#wake = () => {
        this.#wake = null;
        cancel();
        resolve();
      };
    });
  }
}
