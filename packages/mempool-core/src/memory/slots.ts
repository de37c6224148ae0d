import { codeOf } from './hash-code.ts';

/** The slot of a hash that has none. */
export const noSlot = -1;

const firstSlots = 1_024;
const bits = 32;

/**
 * Gives each hash that a pool knows a small number, its slot, by which columns hold its data. The ledger and the index of a
 * pool share the slots, so there is one table by hash. Each of them holds a slot as long as it has data there.
 *
 * The table is open, with linear probing: pairs of a slot plus 1 and the code of its hash, at most half full. A search reads
 * one line of memory and no string but an equal one. A JavaScript Map costs several times as much where most hashes come and go.
 */
export class Slots {
  #hashes: string[] = [];
  readonly #free: number[] = [];
  /** For each slot, the code of its hash and how many hold it. */
  #data: Int32Array = new Int32Array(2 * firstSlots);
  #table: Int32Array = new Int32Array(4 * firstSlots);
  /** What is left of a code after this shift is its first place in the table. */
  #shift: number = bits - Math.log2(2 * firstSlots);
  #size = 0;

  /** The slot of a hash, or `noSlot`. */
  find(hash: string): number {
    return this.#find(hash, codeOf(hash));
  }

  hashOf(slot: number): string {
    return this.#hashes[slot] as string;
  }

  /** Holds the slot of a hash, which may be a new one. */
  hold(hash: string): number {
    const code = codeOf(hash);
    const known = this.#find(hash, code);
    if (known === noSlot) return this.#add(hash, code);
    this.share(known);
    return known;
  }

  /** Holds a slot that another one holds. */
  share(slot: number): void {
    this.#data[2 * slot + 1] = (this.#data[2 * slot + 1] as number) + 1;
  }

  /** Frees the slot if nobody else holds it. */
  release(slot: number): void {
    const left = (this.#data[2 * slot + 1] as number) - 1;
    this.#data[2 * slot + 1] = left;
    if (left > 0) return;
    this.#delete(slot);
    this.#size -= 1;
    this.#hashes[slot] = '';
    this.#free.push(slot);
  }

  /** All slots in use. */
  *all(): Generator<number, undefined> {
    for (let slot = 0; slot < this.#hashes.length; slot++) if ((this.#data[2 * slot + 1] as number) > 0) yield slot;
  }

  #find(hash: string, code: number): number {
    const table = this.#table;
    const mask = table.length / 2 - 1;
    for (let place = code >>> this.#shift; ; place = (place + 1) & mask) {
      const found = table[2 * place] as number;
      if (found === 0) return noSlot;
      if (table[2 * place + 1] === code && this.#hashes[found - 1] === hash) return found - 1;
    }
  }

  #add(hash: string, code: number): number {
    this.#size += 1;
    if (4 * this.#size > this.#table.length) this.#growTable();
    const slot = this.#free.pop() ?? this.#hashes.length;
    if (2 * slot === this.#data.length) this.#growData();
    this.#hashes[slot] = hash;
    this.#data[2 * slot] = code;
    this.#data[2 * slot + 1] = 1;
    this.#place(slot, code);
    return slot;
  }

  #place(slot: number, code: number): void {
    const table = this.#table;
    const mask = table.length / 2 - 1;
    let place = code >>> this.#shift;
    while (table[2 * place] !== 0) place = (place + 1) & mask;
    table[2 * place] = slot + 1;
    table[2 * place + 1] = code;
  }

  /** Takes a slot out of the table, and moves those behind it that it kept from their first places. */
  #delete(slot: number): void {
    const table = this.#table;
    const mask = table.length / 2 - 1;
    let gap = (this.#data[2 * slot] as number) >>> this.#shift;
    while (table[2 * gap] !== slot + 1) gap = (gap + 1) & mask;
    for (let place = (gap + 1) & mask; table[2 * place] !== 0; place = (place + 1) & mask) {
      const code = table[2 * place + 1] as number;
      const first = code >>> this.#shift;
      if (((place - first) & mask) < ((place - gap) & mask)) continue;
      table[2 * gap] = table[2 * place] as number;
      table[2 * gap + 1] = code;
      gap = place;
    }
    table[2 * gap] = 0;
  }

  #growTable(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    this.#shift -= 1;
    for (const slot of this.all()) this.#place(slot, this.#data[2 * slot] as number);
  }

  #growData(): void {
    const larger = new Int32Array(2 * this.#data.length);
    larger.set(this.#data);
    this.#data = larger;
  }
}
