/** A transaction that waits for a block. */
export interface Waiting {
  readonly hash: string;
  readonly seq: number;
  /** Size of its payload; `null` if that is not known yet. */
  readonly bytes: number | null;
}

interface Slot extends Waiting {
  bytes: number | null;
  isGone: boolean;
}

/** Fewer removed ones are not worth a new list. */
const fewGone = 1_000;

/** Transactions in the order of `seq`. The cost of a page grows with the number of transactions before it. */
export class SeqOrder {
  readonly #byHash = new Map<string, Slot>();
  /** With removed ones in between. */
  #slots: Slot[] = [];
  #isSorted = true;
  /** Those whose size is not known yet. */
  readonly #unweighed = new Set<Slot>();
  #bytes = 0;

  get count(): number {
    return this.#byHash.size;
  }

  /** The total size of the transactions whose size is known. */
  get bytes(): number {
    return this.#bytes;
  }

  find(hash: string): Waiting | undefined {
    return this.#byHash.get(hash);
  }

  /** Adds a transaction. Does nothing if it is in the list with this `seq` already. */
  put({ hash, seq, bytes = null }: Omit<Waiting, 'bytes'> & { readonly bytes?: number | null }): void {
    const known = this.#byHash.get(hash);
    if (known?.seq === seq) {
      if (bytes !== null) this.#weigh(known, bytes);
      return;
    }
    this.remove(hash);
    const slot: Slot = { hash, seq, bytes: null, isGone: false };
    this.#unweighed.add(slot);
    if (bytes !== null) this.#weigh(slot, bytes);
    this.#isSorted &&= (this.#slots.at(-1)?.seq ?? 0) <= seq;
    this.#byHash.set(hash, slot);
    this.#slots.push(slot);
  }

  remove(hash: string): void {
    const slot = this.#byHash.get(hash);
    if (slot === undefined) return;
    slot.isGone = true;
    this.#bytes -= slot.bytes ?? 0;
    this.#unweighed.delete(slot);
    this.#byHash.delete(hash);
    if (this.#slots.length > 2 * this.#byHash.size + fewGone) this.#slots = this.#slots.filter(({ isGone }) => !isGone);
  }

  /** Returns at most `count` transactions after the first `skip`. */
  page(skip: number, count: number, order: 'asc' | 'desc' = 'asc'): Waiting[] {
    const page: Waiting[] = [];
    if (skip >= this.#byHash.size) return page;
    let before = 0;
    for (const slot of this.inOrder(order)) {
      before += 1;
      if (before <= skip) continue;
      if (page.push(slot) === count) break;
    }
    return page;
  }

  /** Iterates over all transactions. Do not change the list meanwhile. */
  *inOrder(order: 'asc' | 'desc'): Generator<Waiting> {
    this.#sort();
    const slots = this.#slots;
    const { length } = slots;
    for (let i = 0; i < length; i++) {
      const slot = slots[order === 'asc' ? i : length - 1 - i] as Slot;
      if (!slot.isGone) yield slot;
    }
  }

  /** True if all sizes are known. */
  get isWeighed(): boolean {
    return this.#unweighed.size === 0;
  }

  /** Returns the hashes of the transactions whose size is not known. */
  unweighed(): string[] {
    return Array.from(this.#unweighed, ({ hash }) => hash);
  }

  /** Sets the size of a transaction, if it is still in the list. */
  weigh(hash: string, bytes: number): void {
    const slot = this.#byHash.get(hash);
    if (slot !== undefined) this.#weigh(slot, bytes);
  }

  #weigh(slot: Slot, bytes: number): void {
    if (!this.#unweighed.delete(slot)) return;
    slot.bytes = bytes;
    this.#bytes += bytes;
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#slots = this.#slots.filter(({ isGone }) => !isGone).sort((a, b) => a.seq - b.seq);
    this.#isSorted = true;
  }
}
