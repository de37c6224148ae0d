import type { ElectionClock } from '../contract/clock.ts';

/** Lets one task sleep until a time, or until another task calls `ring`. A ring between two sleeps ends the next one at once. */
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

  /** Sleeps until the delay is over or `ring` is called. The delay is at least 1 ms, so that a wrong sum causes no busy loop. */
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
