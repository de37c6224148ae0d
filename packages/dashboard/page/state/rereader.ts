/** How often something is read again. */
export interface Pace {
  /** The least time between two reads, however much changes. */
  readonly atMostEveryMs: number;
  /** Read so often even if nothing seems to change. */
  readonly atLeastEveryMs: number;
}

/** Reads something again when it has changed, one read at a time and not too often. */
export class Rereader {
  readonly #read: () => Promise<void>;
  readonly #pace: Pace;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #isReading = false;
  #isStopped = true;

  /** @param read never rejects */
  constructor(read: () => Promise<void>, pace: Pace) {
    this.#read = read;
    this.#pace = pace;
  }

  /** Reads now and then. */
  start(): void {
    this.#isStopped = false;
    this.#plan(performance.now());
  }

  stop(): void {
    this.#isStopped = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  /** The data may have changed. */
  changed(): void {
    this.#plan(Math.max(performance.now(), this.#startedAt + this.#pace.atMostEveryMs));
  }

  /** The reader wants other data now: reads at once. */
  now(): void {
    this.#plan(performance.now());
  }

  #plan(at: number): void {
    if (this.#isStopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    if (this.#isReading) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, at - performance.now()));
  }

  async #run(): Promise<void> {
    this.#isReading = true;
    this.#startedAt = performance.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
    await this.#read();
    this.#isReading = false;
    if (this.#isStopped) return;
    const due = Math.min(this.#dueAt, this.#startedAt + this.#pace.atLeastEveryMs);
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#plan(due);
  }
}
