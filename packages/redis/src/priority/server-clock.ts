/** The clock of a pool: the application's if it gives one, else an estimate of the server's clock from its answers. */
export class ServerClock {
  readonly #given: (() => number) | null;
  readonly #clock: () => number;
  #aheadMs = 0;

  constructor({ now, clock }: { readonly now: (() => number) | null; readonly clock: () => number }) {
    this.#given = now;
    this.#clock = clock;
  }

  /** Records the answer of the command TIME. */
  learn(seconds: Buffer, microseconds: Buffer): void {
    this.#aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - this.#clock();
  }

  /** Returns the time in whole milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#given === null ? this.#clock() + this.#aheadMs : this.#given());
  }
}
