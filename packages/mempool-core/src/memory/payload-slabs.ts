/** A payload that leaves, leaves its bytes behind until the slab's others have left: that must stay little. */
const slabBytes = 32_768;
const largeBytes = slabBytes / 8;

/**
 * Copies of payloads, many to a buffer: a buffer object for each would cost more than the copying, to make, to keep and to
 * collect.
 */
export class PayloadSlabs {
  /** Where the last payload went. */
  slab: Buffer = Buffer.alloc(0);
  start = 0;
  #open: Buffer = this.slab;
  #used = 0;

  /** Copies the bytes; `slab` and `start` say where they are. */
  put(payload: Uint8Array): void {
    const { length } = payload;
    if (length > largeBytes) {
      this.slab = Buffer.allocUnsafeSlow(length);
      this.start = 0;
    } else {
      if (this.#used + length > this.#open.length) {
        this.#open = Buffer.allocUnsafeSlow(slabBytes);
        this.#used = 0;
      }
      this.slab = this.#open;
      this.start = this.#used;
      this.#used += length;
    }
    this.slab.set(payload, this.start);
  }
}
