/** The clock of a pool that nodes share: the server's, learned from its answers, unless the application gives one. */
export class ServerClock {
  readonly #given: (() => number) | null;
  readonly #clock: () => number;
  #aheadMs = 0;

  constructor({ now, clock }: { readonly now: (() => number) | null; readonly clock: () => number }) {
    this.#given = now;
    this.#clock = clock;
  }

  /** The answer of the command TIME. */
  learn(seconds: Buffer, microseconds: Buffer): void {
    this.#aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - this.#clock();
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#given === null ? this.#clock() + this.#aheadMs : this.#given());
  }
}
