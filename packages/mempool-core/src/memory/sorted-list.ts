/** A change moves at most so many items. */
const mostItems = 128;

/** The order of a list. */
export interface Order<Key> {
  /**
   * Returns a number that never decreases from one item to the next. A search reads the numbers, which are side by side, and only
   * those items whose number is that of the key: a comparison of items costs several times as much.
   */
  rank(key: Key): number;
  /** Compares two items or keys of the same rank. It is 0 only for an item and itself, or its own key. */
  compare(a: Key, b: Key): number;
}

/** The order by seq. */
export const bySeq: Order<{ readonly seq: number }> = { rank: ({ seq }) => seq, compare: (a, b) => a.seq - b.seq };

interface Chunk<Item> {
  readonly items: Item[];
  readonly ranks: number[];
}

/**
 * Items in an order, each once, in chunks. Adding or removing one reads about as many of them as the logarithm of their number, and
 * moves at most one chunk. A list must not change during a walk.
 */
export class SortedList<Item extends Key, Key = Item> {
  readonly #order: Order<Key>;
  /** None of them is empty, but the only one. */
  readonly #chunks: Chunk<Item>[] = [{ items: [], ranks: [] }];
  #length = 0;

  constructor(order: Order<Key>) {
    this.#order = order;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#chunks[0]?.items[0];
  }

  get last(): Item | undefined {
    return this.#chunks.at(-1)?.items.at(-1);
  }

  /** True if both have the same place. */
  isSame(a: Key, b: Key): boolean {
    return this.#order.rank(a) === this.#order.rank(b) && this.#order.compare(a, b) === 0;
  }

  insert(item: Item): void {
    const rank = this.#order.rank(item);
    const at = this.#chunkOf(item, rank);
    const chunk = this.#chunks[at] as Chunk<Item>;
    const place = this.#placeAfter(chunk, item, rank);
    putAt(chunk.items, place, item);
    putAt(chunk.ranks, place, rank);
    this.#length += 1;
    if (chunk.items.length > mostItems) this.#split(at, place);
  }

  /** Removes an item of the list. Its key must be the same as when it was inserted. @throws if the item is not found */
  delete(item: Item): void {
    const rank = this.#order.rank(item);
    const at = this.#chunkOf(item, rank);
    const { items, ranks } = this.#chunks[at] as Chunk<Item>;
    const place = this.#placeAfter(this.#chunks[at] as Chunk<Item>, item, rank) - 1;
    if (items[place] !== item) throw new Error('the item to delete is not in the list at its key');
    removeAt(items, place);
    removeAt(ranks, place);
    this.#length -= 1;
    if (items.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
  }

  [Symbol.iterator](): IteratorObject<Item, undefined, unknown> {
    return new Walk(this.#chunks, 0, 0, 1);
  }

  /** Visits items from the first on until `visit` returns false. Several times as fast as the iterator. */
  walk(visit: (item: Item) => boolean): void {
    for (const { items } of this.#chunks) for (const item of items) if (!visit(item)) return;
  }

  /** The items after a key. The key itself need not be in the list. */
  after(key: Key): IteratorObject<Item, undefined, unknown> {
    const [at, place] = this.#after(key);
    return new Walk(this.#chunks, at, place, 1);
  }

  /** The items up to a key, in order. */
  upTo(key: Key): IteratorObject<Item, undefined, unknown> {
    return this[Symbol.iterator]().take(this.#length - this.countAfter(key));
  }

  /** The items from the last to the first. */
  backwards(): IteratorObject<Item, undefined, unknown> {
    const last = this.#chunks.length - 1;
    return new Walk(this.#chunks, last, (this.#chunks[last] as Chunk<Item>).items.length - 1, -1);
  }

  /** How many items come after a key. Counts chunks from the last one on. */
  countAfter(key: Key): number {
    const [at, place] = this.#after(key);
    let count = -place;
    for (let later = this.#chunks.length - 1; later >= at; later--)
      count += (this.#chunks[later] as Chunk<Item>).items.length;
    return count;
  }

  /** Cuts a chunk in half. The last chunk stays whole if the new item is at its end, as nearly all are. */
  #split(at: number, place: number): void {
    const { items, ranks } = this.#chunks[at] as Chunk<Item>;
    const isAtEnd = at === this.#chunks.length - 1 && place === mostItems;
    const kept = isAtEnd ? mostItems : mostItems / 2;
    this.#chunks.splice(at + 1, 0, { items: items.splice(kept), ranks: ranks.splice(kept) });
  }

  /** Where the items after a key begin: the index of a chunk, and the place in it, which may be its end. */
  #after(key: Key): [at: number, place: number] {
    const rank = this.#order.rank(key);
    const at = this.#chunkOf(key, rank);
    return [at, this.#placeAfter(this.#chunks[at] as Chunk<Item>, key, rank)];
  }

  /** Index of the last chunk that begins at or before the key; 0 if there is none. */
  #chunkOf(key: Key, rank: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    // Most come behind all others.
    if (high > 0 && this.#isUpTo(this.#chunks[high] as Chunk<Item>, 0, key, rank)) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#isUpTo(this.#chunks[middle] as Chunk<Item>, 0, key, rank)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #placeAfter(chunk: Chunk<Item>, key: Key, rank: number): number {
    let low = 0;
    let high = chunk.items.length;
    if (high > 0 && this.#isUpTo(chunk, high - 1, key, rank)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isUpTo(chunk, middle, key, rank)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isUpTo({ items, ranks }: Chunk<Item>, place: number, key: Key, rank: number): boolean {
    const own = ranks[place] as number;
    if (own !== rank) return own < rank;
    const item = items[place] as Item;
    return item === key || this.#order.compare(item, key) <= 0;
  }
}

function putAt<T>(list: T[], place: number, item: T): void {
  if (place === list.length) list.push(item);
  else list.splice(place, 0, item);
}

function removeAt(list: unknown[], place: number): void {
  if (place === list.length - 1) list.pop();
  else list.splice(place, 1);
}

/** Node 20 has no `Iterator`. It must load this module, so that each `open` can say which Node it needs. */
const IteratorClass = (globalThis.Iterator ?? Object) as typeof Iterator;

/** An iterator and no generator, which costs several times as much for an item. */
class Walk<Item> extends IteratorClass<Item, undefined> {
  readonly #chunks: readonly Chunk<Item>[];
  readonly #step: 1 | -1;
  #at: number;
  #items: readonly Item[];
  #place: number;

  constructor(chunks: readonly Chunk<Item>[], at: number, place: number, step: 1 | -1) {
    super();
    this.#chunks = chunks;
    this.#step = step;
    this.#at = at;
    this.#items = (chunks[at] as Chunk<Item>).items;
    this.#place = place;
  }

  next(): IteratorResult<Item, undefined> {
    while (this.#place < 0 || this.#place >= this.#items.length) {
      this.#at += this.#step;
      const chunk = this.#chunks[this.#at];
      if (chunk === undefined) return { done: true, value: undefined };
      this.#items = chunk.items;
      this.#place = this.#step === 1 ? 0 : chunk.items.length - 1;
    }
    const value = this.#items[this.#place] as Item;
    this.#place += this.#step;
    return { done: false, value };
  }
}
