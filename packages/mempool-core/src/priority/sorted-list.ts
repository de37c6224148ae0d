const chunkItems = 128;

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

interface Chunk<Item, Shown> {
  readonly items: Item[];
  /** The rough keys as plain numbers, so that a search reads only items whose rough key equals the wanted one. */
  readonly keys: number[];
  /**
   * The shown parts of the first items, as far as a walk has come. They are allocated in sequence, so the next walk
   * reads no item.
   */
  readonly shown: Shown[];
}

/** Items in an order, in chunks. Adding or removing an item moves at most one chunk. */
export class SortedList<Item extends Key, Key = Item, Shown = undefined> implements Iterable<Item> {
  readonly #by: SortKey<Key, Item, Shown>;
  readonly #chunks: Chunk<Item, Shown>[] = [{ items: [], keys: [], shown: [] }];
  /** The first rough key of each chunk. The search for a chunk reads these first. */
  readonly #starts: number[] = [0];
  #length = 0;

  constructor(by: SortKey<Key, Item, Shown>) {
    this.#by = by;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#chunks[0]?.items[0];
  }

  get last(): Item | undefined {
    const { items } = this.#chunks[this.#chunks.length - 1] as Chunk<Item, Shown>;
    return items[items.length - 1];
  }

  insert(item: Item): void {
    this.#length += 1;
    const rough = this.#by.rough(item);
    const at = this.#chunkOf(item, rough);
    const chunk = this.#chunks[at] as Chunk<Item, Shown>;
    const { items, keys, shown } = chunk;
    const place = this.#placeBehind(chunk, item, rough);
    if (place < shown.length) shown.length = place;
    if (place === items.length) {
      items.push(item);
      keys.push(rough);
    } else {
      items.splice(place, 0, item);
      keys.splice(place, 0, rough);
    }
    if (place === 0) this.#starts[at] = rough;
    if (items.length > chunkItems) this.#split(at, chunk, place);
  }

  /** Removes an item of the list. Its key must be the same as when it was inserted. @throws if the item is not found */
  delete(item: Item): void {
    const rough = this.#by.rough(item);
    const at = this.#chunkOf(item, rough);
    const chunk = this.#chunks[at] as Chunk<Item, Shown>;
    const { items, keys, shown } = chunk;
    const place = this.#placeBehind(chunk, item, rough) - 1;
    if (place < 0 || items[place] !== item) throw new Error('the item to delete is not in the list at its key');
    if (place < shown.length) shown.length = place;
    this.#length -= 1;
    if (place === items.length - 1) {
      items.pop();
      keys.pop();
    } else {
      items.splice(place, 1);
      keys.splice(place, 1);
    }
    if (items.length > 0) {
      if (place === 0) this.#starts[at] = keys[0] as number;
    } else if (this.#chunks.length > 1) {
      this.#chunks.splice(at, 1);
      this.#starts.splice(at, 1);
    }
  }

  [Symbol.iterator](): Generator<Item, undefined> {
    return this.#from(0, 0);
  }

  /** The items after a key. The key itself need not be in the list. */
  after(key: Key): Generator<Item, undefined> {
    const rough = this.#by.rough(key);
    const at = this.#chunkOf(key, rough);
    return this.#from(at, this.#placeBehind(this.#chunks[at] as Chunk<Item, Shown>, key, rough));
  }

  /** How many items come after a key. Counts chunks from the last one on. */
  countAfter(key: Key): number {
    const rough = this.#by.rough(key);
    const at = this.#chunkOf(key, rough);
    const chunk = this.#chunks[at] as Chunk<Item, Shown>;
    let count = chunk.items.length - this.#placeBehind(chunk, key, rough);
    for (let later = at + 1; later < this.#chunks.length; later++) count += this.#chunks[later]?.items.length ?? 0;
    return count;
  }

  /** The items from the last to the first. The list must not change meanwhile. */
  backwards(): IterableIterator<Item> {
    return new Backwards(this.#chunks);
  }

  /** Visits items from the first on until `visit` returns false. Much faster than the iterator. */
  walk(visit: (shown: Shown, item: Item) => boolean): void {
    for (const { items, shown } of this.#chunks) {
      for (let place = 0; place < items.length; place++) {
        if (place === shown.length) shown.push(this.#by.show(items[place] as Item));
        if (!visit(shown[place] as Shown, items[place] as Item)) return;
      }
    }
  }

  *#from(at: number, place: number): Generator<Item, undefined> {
    let start = place;
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[++at], start = 0)
      for (let i = start; i < chunk.items.length; i++) yield chunk.items[i] as Item;
  }

  /** Cuts a chunk in half. The last chunk stays whole if the new item is at its end, as nearly all are. */
  #split(at: number, { items, keys, shown }: Chunk<Item, Shown>, place: number): void {
    const isLast = at === this.#chunks.length - 1 && place === items.length - 1;
    const from = isLast ? chunkItems : chunkItems / 2;
    this.#starts.splice(at + 1, 0, keys[from] as number);
    this.#chunks.splice(at + 1, 0, { items: items.splice(from), keys: keys.splice(from), shown: shown.splice(from) });
  }

  /** Index of the last chunk that begins at or before the key; 0 if there is none. */
  #chunkOf(key: Key, rough: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    if (high > 0 && this.#beginsUpTo(high, key, rough)) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#beginsUpTo(middle, key, rough)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #placeBehind(chunk: Chunk<Item, Shown>, key: Key, rough: number): number {
    let high = chunk.keys.length;
    if (high > 0 && this.#isUpTo(chunk, high - 1, key, rough)) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isUpTo(chunk, middle, key, rough)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #beginsUpTo(at: number, key: Key, rough: number): boolean {
    const start = this.#starts[at] as number;
    return start === rough ? this.#isUpTo(this.#chunks[at] as Chunk<Item, Shown>, 0, key, rough) : start < rough;
  }

  #isUpTo({ items, keys }: Chunk<Item, Shown>, place: number, key: Key, rough: number): boolean {
    const own = keys[place] as number;
    if (own !== rough) return own < rough;
    const item = items[place] as Item;
    return item === key || this.#by.compare(item, key) <= 0;
  }
}

/** An iterator and no generator, which costs several times as much for an item. */
class Backwards<Item> implements IterableIterator<Item, undefined> {
  readonly #chunks: readonly Pick<Chunk<Item, unknown>, 'items'>[];
  #items: readonly Item[];
  #at: number;
  #place: number;

  constructor(chunks: readonly Pick<Chunk<Item, unknown>, 'items'>[]) {
    this.#chunks = chunks;
    this.#at = chunks.length - 1;
    this.#items = chunks[this.#at]?.items ?? [];
    this.#place = this.#items.length;
  }

  next(): IteratorResult<Item, undefined> {
    while (this.#place === 0) {
      if (this.#at === 0) return { done: true, value: undefined };
      this.#at -= 1;
      this.#items = this.#chunks[this.#at]?.items ?? [];
      this.#place = this.#items.length;
    }
    this.#place -= 1;
    return { done: false, value: this.#items[this.#place] as Item };
  }

  [Symbol.iterator](): this {
    return this;
  }
}
