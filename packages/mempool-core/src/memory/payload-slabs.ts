import type { Columns } from './columns.ts';

const slabBytes = 32_768;
const largeBytes = slabBytes / 8;
/** A slab with less than this part in use is given up, and its payloads move to another one. */
const sparsePart = 1 / 4;
const slotBytes = 4;
/** In place of a slab, for a payload without bytes. */
const noSlab = -1;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Copies payloads into shared buffers. One buffer object per payload would cost more than the copy, in time, in memory and
 * in garbage collection.
 *
 * Payloads fill a slab from its front. The slots of their rows fill it from its end, so a sparse slab can be given up: a few
 * payloads that stay long among many that leave soon would else keep a slab each.
 */
export class PayloadSlabs {
  /** The slab of the last payload, which begins at offset `start`. */
  slab: number = noSlab;
  start = 0;
  readonly #columns: Columns;
  readonly #slabs: Buffer[] = [];
  /** For each slab, the bytes of its payloads that have not left, each with its slot. */
  readonly #live: number[] = [];
  /** For each slab, how many payloads were put into it; 0 for a large payload, which has a slab for itself. */
  readonly #counts: number[] = [];
  readonly #free: number[] = [];
  #open: number = noSlab;
  #used = 0;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Copies the payload of a row and sets `slab` and `start` to its position. The caller writes them to the columns. */
  put(slot: number, payload: Uint8Array): void {
    const { length } = payload;
    this.start = 0;
    if (length === 0) this.slab = noSlab;
    else if (length > largeBytes) {
      this.slab = this.#add(length);
      this.#copy(payload);
    } else this.#share(slot, payload);
  }

  /** The bytes themselves: nobody may change them. */
  view(slab: number, start: number, bytes: number): Buffer {
    return slab === noSlab ? noBytes : (this.#slabs[slab] as Buffer).subarray(start, start + bytes);
  }

  /** Notes that the payload of a row left. */
  remove(slot: number): void {
    const { slab, bytes } = this.#columns.payload(slot);
    if (slab === noSlab) return;
    this.#columns.setPayload(slot, noSlab, 0, 0);
    this.#live[slab] = (this.#live[slab] as number) - bytes - slotBytes;
    if (slab !== this.#open) this.#tidy(slab);
  }

  #share(slot: number, payload: Uint8Array): void {
    if (this.#open === noSlab || this.#used + payload.length + slotBytes > slabBytes) this.#begin();
    const slab = this.#open;
    const count = (this.#counts[slab] as number) + 1;
    this.#counts[slab] = count;
    (this.#slabs[slab] as Buffer).writeInt32LE(slot, slabBytes - slotBytes * count);
    this.slab = slab;
    this.start = this.#used - slotBytes * (count - 1);
    this.#used += payload.length + slotBytes;
    this.#copy(payload);
  }

  #copy(payload: Uint8Array): void {
    (this.#slabs[this.slab] as Buffer).set(payload, this.start);
    this.#live[this.slab] = (this.#live[this.slab] as number) + payload.length + slotBytes;
  }

  #begin(): void {
    const full = this.#open;
    this.#open = this.#add(slabBytes);
    this.#used = 0;
    if (full !== noSlab) this.#tidy(full);
  }

  #add(bytes: number): number {
    const slab = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[slab] = Buffer.allocUnsafeSlow(bytes);
    this.#live[slab] = 0;
    this.#counts[slab] = 0;
    return slab;
  }

  /** Gives a slab up if little of it is in use. */
  #tidy(slab: number): void {
    const live = this.#live[slab] as number;
    const isLarge = this.#counts[slab] === 0;
    if (live > 0 && (isLarge || live >= sparsePart * slabBytes)) return;
    if (live > 0) this.#move(slab);
    this.#slabs[slab] = noBytes;
    this.#free.push(slab);
  }

  /** Copies what is left in a slab to the open one. Those who have a view of it keep the old bytes. */
  #move(slab: number): void {
    const bytes = this.#slabs[slab] as Buffer;
    const end = slabBytes - slotBytes * (this.#counts[slab] as number);
    for (let at = slabBytes - slotBytes; at >= end; at -= slotBytes) {
      const slot = bytes.readInt32LE(at);
      const place = this.#columns.payload(slot);
      // A payload that left is not there any more, or its slot has another one.
      if (place.slab !== slab) continue;
      this.#share(slot, bytes.subarray(place.start, place.start + place.bytes));
      this.#columns.setPayload(slot, this.slab, this.start, place.bytes);
    }
  }
}
