/** Longer than events take, even on a slow network. */
const patienceMs = 15_000;

/**
 * Notices live events that no longer come although their connection looks open: a dead connection may not tell for
 * hours. The API's summary then stands for events that the stream has not brought.
 */
export class StreamCheck {
  #last: string | null = null;
  #behindSince: number | null = null;

  /** The stream brought this event, or begins after it. */
  brought(cursor: string): void {
    this.#last = cursor;
    this.#behindSince = null;
  }

  /** True if the stream should be opened again, because it has been late for too long. `now` in milliseconds of any clock. */
  isDead(summaryCursor: string, now: number): boolean {
    if (this.#last === null || summaryCursor === this.#last) {
      this.#behindSince = null;
      return false;
    }
    this.#behindSince ??= now;
    if (now - this.#behindSince < patienceMs) return false;
    this.#behindSince = null;
    return true;
  }
}
