/** How long a process leaves gaps after it met others. */
const metForMs = 200;
/** A process that did not meet others leaves a gap after it wrote for this time. Somebody may wait whom it does not see. */
const unbrokenMs = 100;
const unbrokenGapMs = 3;
const longestGapMs = 4;

/** When one connection lets other processes write: SQLite has no queue, and whoever is active finds the file free most often. */
export class WriteGaps {
  readonly #clock: () => number;
  #metAt = Number.NEGATIVE_INFINITY;
  #unbrokenSince = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #restUntil = 0;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** How long the next transaction has to wait, in milliseconds; 0 if it can begin. */
  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.#restUntil - this.#clock()));
  }

  /** Notes that another process writes: the file was busy, or it has changed. */
  meet(): void {
    this.#metAt = this.#clock();
  }

  begin(): void {
    const now = this.#clock();
    if (now - this.#endedAt >= unbrokenGapMs) this.#unbrokenSince = now;
  }

  end(): void {
    const now = this.#clock();
    this.#endedAt = now;
    this.#restUntil = now + this.#gapMs(now);
  }

  #gapMs(now: number): number {
    if (now - this.#metAt < metForMs) return 1 + Math.floor(Math.random() * longestGapMs);
    return now - this.#unbrokenSince < unbrokenMs ? 0 : unbrokenGapMs;
  }
}
