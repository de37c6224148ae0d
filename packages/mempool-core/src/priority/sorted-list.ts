const chunkItems = 64;
const firstCells: Uint8Array = Uint8Array.from({ length: chunkItems }, (_, cell) => cell);

/** The order of a list. */
export interface SortKey<Key, Item = Key, Shown = undefined> {
  /** Returns a number that never decreases from one item to the next. Different items may have the same number. */
  rough(key: Key): number;
  /** Compares two items with the same number. Never 0 for two items of a list. */
  compare(a: Key, b: Key): number;
  /**
   * Returns the part of an item that `walk` passes to its visitor. It is cached, so it must not change while the item is in
   * the list.
   */
  show(item: Item): Shown;
}

export interface Sequenced {
  readonly seq: number;
}

/** The order by seq. */
export const bySeq: SortKey<Sequenced, unknown> = {
  rough: ({ seq }) => seq,
  compare: (a, b) => a.seq - b.seq,
  show: () => undefined,
};

/**
 * Items in an order, in chunks. Adding or removing an item moves at most one chunk. Chunks are no objects: all of a list are
 * side by side in arrays, each at `chunkItems` times its number, so that a change reads few lines of memory.
 */
export class SortedList<Item extends Key, Key = Item, Shown = undefined> implements Iterable<Item> {
  readonly #by: SortKey<Key, Item, Shown>;
  readonly #items: (Item | null)[] = [];
  /**
   * By place, the cell in the chunk where the item is; those of the empty places are the free cells. So an item stays where it
   * is: for each pointer that moves, the engine would look at the page of the object.
   */
  #cells: Uint8Array = new Uint8Array(firstCells);
  /** The rough keys as plain numbers, so that a search reads only items whose rough key equals the wanted one. */
  readonly #keys: number[] = [];
  /** By the number of a chunk, how many items it has. */
  readonly #counts: number[] = [0];
  /**
   * By the number of a chunk, the shown parts of its first items, as far as a walk has come, and how many of them still
   * hold. They are allocated in sequence, so the next walk reads no item.
   */
  readonly #shown: Shown[][] = [[]];
  readonly #shownCounts: number[] = [0];
  /** The numbers of the chunks in their order, and the first rough key of each. The search for a chunk reads these first. */
  readonly #chunks: number[] = [0];
  readonly #starts: number[] = [0];
  readonly #free: number[] = [];
  #length = 0;

  constructor(by: SortKey<Key, Item, Shown>) {
    this.#by = by;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#length === 0 ? undefined : this.#at(this.#chunks[0] as number, 0);
  }

  get last(): Item | undefined {
    if (this.#length === 0) return undefined;
    const chunk = this.#chunks[this.#chunks.length - 1] as number;
    return this.#at(chunk, (this.#counts[chunk] as number) - 1);
  }

  /** The rough key of the last item; `-Infinity` if there is none. */
  get lastRough(): number {
    if (this.#length === 0) return Number.NEGATIVE_INFINITY;
    const chunk = this.#chunks[this.#chunks.length - 1] as number;
    return this.#keys[chunkItems * chunk + (this.#counts[chunk] as number) - 1] as number;
  }

  insert(item: Item): void {
    const rough = this.#by.rough(item);
    let at = this.#chunkOf(item, rough);
    let place = this.#placeBehind(this.#chunks[at] as number, item, rough);
    if (this.#counts[this.#chunks[at] as number] === chunkItems) {
      const cut = this.#split(at, place);
      if (place > cut || place === chunkItems) [at, place] = [at + 1, place - cut];
    }
    const [cells, keys, chunk] = [this.#cells, this.#keys, this.#chunks[at] as number];
    const [first, count] = [chunkItems * chunk, this.#counts[chunk] as number];
    const cell = cells[first + count] as number;
    // A loop costs less than `splice` and `copyWithin`.
    for (let to = first + count; to > first + place; to--) {
      keys[to] = keys[to - 1] as number;
      cells[to] = cells[to - 1] as number;
    }
    keys[first + place] = rough;
    cells[first + place] = cell;
    this.#items[first + cell] = item;
    this.#length += 1;
    this.#counts[chunk] = count + 1;
    if (place === 0) this.#starts[at] = rough;
    this.#cutShown(chunk, place);
  }

  /** Removes an item of the list. Its key must be the same as when it was inserted. @throws if the item is not found */
  delete(item: Item): void {
    const rough = this.#by.rough(item);
    const at = this.#chunkOf(item, rough);
    const chunk = this.#chunks[at] as number;
    const place = this.#placeBehind(chunk, item, rough) - 1;
    if (place < 0 || this.#at(chunk, place) !== item)
      throw new Error('the item to delete is not in the list at its key');
    this.#deleteAt(at, place);
  }

  /** Removes the last item. There must be one. */
  pop(): void {
    const at = this.#chunks.length - 1;
    this.#deleteAt(at, (this.#counts[this.#chunks[at] as number] as number) - 1);
  }

  [Symbol.iterator](): Generator<Item, undefined> {
    return this.#from(0, 0);
  }

  /** The items after a key. The key itself need not be in the list. */
  after(key: Key): Generator<Item, undefined> {
    const [at, place] = this.#behind(key);
    return this.#from(at, place);
  }

  /** How many items come after a key. Counts chunks from the last one on. */
  countAfter(key: Key): number {
    const [at, place] = this.#behind(key);
    let count = -place;
    for (let later = at; later < this.#chunks.length; later++)
      count += this.#counts[this.#chunks[later] as number] ?? 0;
    return count;
  }

  /** The items behind one key and not behind a later one. */
  between(key: Key, end: Key): Item[] {
    const found: Item[] = [];
    let [at, place] = this.#behind(key);
    const [last, bound] = this.#behind(end);
    for (; at <= last; at++, place = 0) {
      const chunk = this.#chunks[at] as number;
      const count = at === last ? bound : (this.#counts[chunk] as number);
      for (; place < count; place++) found.push(this.#at(chunk, place));
    }
    return found;
  }

  /** The items from the last to the first. The list must not change meanwhile. */
  backwards(): IterableIterator<Item> {
    return new Backwards<Item>(this.#chunks, this.#counts, (chunk, place) => this.#at(chunk, place));
  }

  /** Visits items from the first on until `visit` returns false. Much faster than the iterator. */
  walk(visit: (shown: Shown, item: Item) => boolean): void {
    const [items, cells] = [this.#items, this.#cells];
    for (const chunk of this.#chunks) {
      const [shown, first, count] = [this.#shown[chunk] as Shown[], chunkItems * chunk, this.#counts[chunk] as number];
      let known = this.#shownCounts[chunk] as number;
      for (let place = 0; place < count; place++) {
        const item = items[first + (cells[first + place] as number)] as Item;
        if (place === known) {
          shown[place] = this.#by.show(item);
          this.#shownCounts[chunk] = ++known;
        }
        if (!visit(shown[place] as Shown, item)) return;
      }
    }
  }

  *#from(at: number, place: number): Generator<Item, undefined> {
    let start = place;
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[++at], start = 0)
      for (let i = start; i < (this.#counts[chunk] as number); i++) yield this.#at(chunk, i);
  }

  #at(chunk: number, place: number): Item {
    const first = chunkItems * chunk;
    return this.#items[first + (this.#cells[first + place] as number)] as Item;
  }

  #deleteAt(at: number, place: number): void {
    const [cells, keys, chunk] = [this.#cells, this.#keys, this.#chunks[at] as number];
    const [first, count] = [chunkItems * chunk, (this.#counts[chunk] as number) - 1];
    const cell = cells[first + place] as number;
    for (let to = first + place; to < first + count; to++) {
      keys[to] = keys[to + 1] as number;
      cells[to] = cells[to + 1] as number;
    }
    cells[first + count] = cell;
    this.#items[first + cell] = null;
    this.#length -= 1;
    this.#counts[chunk] = count;
    this.#cutShown(chunk, place);
    if (count > 0) {
      if (place === 0) this.#starts[at] = keys[first] as number;
    } else if (this.#chunks.length > 1) {
      this.#chunks.splice(at, 1);
      this.#starts.splice(at, 1);
      this.#free.push(chunk);
    }
  }

  /** From this place of a chunk on, its shown parts no longer hold. */
  #cutShown(chunk: number, place: number): void {
    if (place >= (this.#shownCounts[chunk] as number)) return;
    this.#shownCounts[chunk] = place;
    (this.#shown[chunk] as Shown[]).length = place;
  }

  /**
   * Cuts a full chunk in half. The last chunk stays whole if the new item is at its end, as nearly all are. Returns how many
   * items stay.
   */
  #split(at: number, place: number): number {
    const [items, keys, chunk] = [this.#items, this.#keys, this.#chunks[at] as number];
    const kept = at === this.#chunks.length - 1 && place === chunkItems ? chunkItems : chunkItems / 2;
    const next = this.#newChunk();
    const [from, to] = [chunkItems * chunk + kept, chunkItems * next];
    for (let i = 0; i < chunkItems - kept; i++) {
      const cell = chunkItems * chunk + (this.#cells[from + i] as number);
      keys[to + i] = keys[from + i] as number;
      items[to + (this.#cells[to + i] as number)] = items[cell] as Item;
      items[cell] = null;
    }
    this.#counts[chunk] = kept;
    this.#counts[next] = chunkItems - kept;
    this.#cutShown(chunk, kept);
    this.#starts.splice(at + 1, 0, keys[to] as number);
    this.#chunks.splice(at + 1, 0, next);
    return kept;
  }

  /** The number of a chunk without items. */
  #newChunk(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const chunk = this.#counts.length;
    this.#counts.push(0);
    this.#shown.push([]);
    this.#shownCounts.push(0);
    if (chunkItems * chunk === this.#cells.length) {
      const cells = new Uint8Array(2 * this.#cells.length);
      for (let first = 0; first < cells.length; first += chunkItems) cells.set(firstCells, first);
      cells.set(this.#cells);
      this.#cells = cells;
    }
    // Without gaps: an array with a hole is slower.
    while (this.#keys.length < chunkItems * (chunk + 1)) this.#keys.push(0);
    while (this.#items.length < chunkItems * (chunk + 1)) this.#items.push(null);
    return chunk;
  }

  /** Where the items after a key begin: the index of a chunk, and the place in it. */
  #behind(key: Key): [at: number, place: number] {
    const rough = this.#by.rough(key);
    const at = this.#chunkOf(key, rough);
    return [at, this.#placeBehind(this.#chunks[at] as number, key, rough)];
  }

  /** Index of the last chunk that begins at or before the key; 0 if there is none. */
  #chunkOf(key: Key, rough: number): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length - 1;
    if (high > 0 && this.#beginsUpTo(high, key, rough)) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#beginsUpTo(middle, key, rough)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #placeBehind(chunk: number, key: Key, rough: number): number {
    const first = chunkItems * chunk;
    let high = this.#counts[chunk] as number;
    if (high > 0 && this.#isUpTo(first + high - 1, key, rough)) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isUpTo(first + middle, key, rough)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #beginsUpTo(at: number, key: Key, rough: number): boolean {
    const start = this.#starts[at] as number;
    return start === rough ? this.#isUpTo(chunkItems * (this.#chunks[at] as number), key, rough) : start < rough;
  }

  #isUpTo(place: number, key: Key, rough: number): boolean {
    const own = this.#keys[place] as number;
    if (own !== rough) return own < rough;
    const item = this.#items[place - (place % chunkItems) + (this.#cells[place] as number)] as Item;
    return item === key || this.#by.compare(item, key) <= 0;
  }
}

/** An iterator and no generator, which costs several times as much for an item. */
class Backwards<Item> implements IterableIterator<Item, undefined> {
  readonly #chunks: readonly number[];
  readonly #counts: readonly number[];
  readonly #item: (chunk: number, place: number) => Item;
  #at: number;
  #place = 0;

  constructor(chunks: readonly number[], counts: readonly number[], item: (chunk: number, place: number) => Item) {
    this.#chunks = chunks;
    this.#counts = counts;
    this.#item = item;
    this.#at = chunks.length;
  }

  next(): IteratorResult<Item, undefined> {
    while (this.#place === 0) {
      if (this.#at === 0) return { done: true, value: undefined };
      this.#at -= 1;
      this.#place = this.#counts[this.#chunks[this.#at] as number] as number;
    }
    this.#place -= 1;
    return { done: false, value: this.#item(this.#chunks[this.#at] as number, this.#place) };
  }

  [Symbol.iterator](): this {
    return this;
  }
}
