/** The slot of a hash that has none. */
export const noSlot = -1;

const firstSlots = 1_024;

/**
 * Gives each hash that a pool knows a small number, its slot, by which columns hold its data. The ledger and the index of a
 * pool share the slots, so there is one map by hash. Each of them holds a slot as long as it has data there.
 */
export class Slots {
  readonly #byHash = new Map<string, number>();
  readonly #hashes: string[] = [];
  readonly #free: number[] = [];
  #holders: Uint8Array = new Uint8Array(firstSlots);

  /** The slot of a hash, or `noSlot`. */
  find(hash: string): number {
    return this.#byHash.get(hash) ?? noSlot;
  }

  hashOf(slot: number): string {
    return this.#hashes[slot] as string;
  }

  /** Holds the slot of a hash, which may be a new one. */
  hold(hash: string): number {
    const known = this.#byHash.get(hash);
    if (known === undefined) return this.add(hash);
    this.#holders[known] = this.#holdersOf(known) + 1;
    return known;
  }

  /** Holds a new slot for a hash that has none. */
  add(hash: string): number {
    const slot = this.#free.pop() ?? this.#hashes.length;
    if (slot === this.#holders.length) this.#grow();
    this.#hashes[slot] = hash;
    this.#holders[slot] = 1;
    this.#byHash.set(hash, slot);
    return slot;
  }

  /** Holds a slot that another one holds. */
  share(slot: number): void {
    this.#holders[slot] = this.#holdersOf(slot) + 1;
  }

  /** Frees the slot if nobody else holds it. */
  release(slot: number): void {
    const left = this.#holdersOf(slot) - 1;
    this.#holders[slot] = left;
    if (left > 0) return;
    this.#byHash.delete(this.hashOf(slot));
    this.#hashes[slot] = '';
    this.#free.push(slot);
  }

  /** All slots in use, in the order in which their hashes came. */
  all(): IterableIterator<number> {
    return this.#byHash.values();
  }

  #holdersOf(slot: number): number {
    return this.#holders[slot] as number;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#holders.length);
    larger.set(this.#holders);
    this.#holders = larger;
  }
}
