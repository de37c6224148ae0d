/** The clock of a pool that many nodes share: the server's, as its answers tell it, unless the application gives one. */
export class ServerClock {
  readonly #given: (() => number) | null;
  readonly #clock: () => number;
  #aheadMs = 0;

  constructor({ now, clock }: { readonly now: (() => number) | null; readonly clock: () => number }) {
    this.#given = now;
    this.#clock = clock;
  }

  /** As TIME answers. */
  learn(seconds: Buffer, microseconds: Buffer): void {
    this.#aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - this.#clock();
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#given === null ? this.#clock() + this.#aheadMs : this.#given());
  }
}
