import { busy } from './problem.ts';

/** So many messages of the largest size may be in memory at once. */
const maxMessages = 32;

/** Counts the bytes of unfinished messages on all ports of a server, and limits them. */
export class HeldBytes {
  readonly #max: number;
  #bytes = 0;

  /** @param maxMessageBytes the size of the largest message */
  constructor(maxMessageBytes: number) {
    this.#max = maxMessages * maxMessageBytes;
  }

  /** True if more than three quarters of the room are used. */
  get isNearlyFull(): boolean {
    return this.#bytes > 0.75 * this.#max;
  }

  /** Counts bytes that arrived. Counts nothing if it throws. @throws `Problem` 503 */
  add(bytes: number): void {
    if (this.#bytes + bytes > this.#max) throw busy('Unfinished messages take too much memory now.');
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}
