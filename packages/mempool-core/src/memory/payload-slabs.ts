/** A slab is freed only when all its payloads have left the pool, so slabs stay small. */
const slabBytes = 32_768;
const largeBytes = slabBytes / 8;
/** In place of a slab, for a payload without bytes. */
const noSlab = -1;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Copies payloads into shared buffers. One buffer object per payload would cost more than the copy, in time, in memory and
 * in garbage collection.
 */
export class PayloadSlabs {
  /** The slab of the last payload, which begins at offset `start`. */
  slab: number = noSlab;
  start = 0;
  readonly #slabs: Buffer[] = [];
  /** For each slab, how many payloads are in it. */
  readonly #counts: number[] = [];
  readonly #free: number[] = [];
  #open: number = noSlab;
  #used = 0;

  /** Copies the bytes and sets `slab` and `start` to their position. */
  put(payload: Uint8Array): void {
    const { length } = payload;
    this.start = 0;
    if (length === 0) {
      this.slab = noSlab;
      return;
    }
    if (length > largeBytes) this.slab = this.#add(length);
    else {
      if (this.#open === noSlab || this.#used + length > slabBytes) this.#begin();
      this.slab = this.#open;
      this.start = this.#used;
      this.#used += length;
    }
    this.#counts[this.slab] = (this.#counts[this.slab] as number) + 1;
    (this.#slabs[this.slab] as Buffer).set(payload, this.start);
  }

  /** The bytes themselves: nobody may change them. */
  view(slab: number, start: number, bytes: number): Buffer {
    return slab === noSlab ? noBytes : (this.#slabs[slab] as Buffer).subarray(start, start + bytes);
  }

  /** Notes that a payload left. */
  remove(slab: number): void {
    if (slab === noSlab) return;
    const left = (this.#counts[slab] as number) - 1;
    this.#counts[slab] = left;
    if (left === 0 && slab !== this.#open) this.#drop(slab);
  }

  #begin(): void {
    const full = this.#open;
    this.#open = this.#add(slabBytes);
    this.#used = 0;
    if (full !== noSlab && this.#counts[full] === 0) this.#drop(full);
  }

  #add(bytes: number): number {
    const slab = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[slab] = Buffer.allocUnsafeSlow(bytes);
    this.#counts[slab] = 0;
    return slab;
  }

  #drop(slab: number): void {
    this.#slabs[slab] = noBytes;
    this.#free.push(slab);
  }
}
