/** A change moves at most so many items. */
const mostItems = 128;

/**
 * Items in an order, each once, in chunks. Adding or removing one reads about as many items as the logarithm of their number,
 * and moves at most one chunk.
 */
export class SortedList<Item extends Key, Key = Item> implements Iterable<Item> {
  /** Compares two items or keys. It is 0 only for an item and itself, or its own key. */
  readonly compare: (a: Key, b: Key) => number;
  /** None of them is empty, but the only one. */
  readonly #chunks: Item[][] = [[]];
  #length = 0;

  constructor(compare: (a: Key, b: Key) => number) {
    this.compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#chunks[0]?.[0];
  }

  get last(): Item | undefined {
    return this.#chunks.at(-1)?.at(-1);
  }

  insert(item: Item): void {
    const [at, place] = this.#after(item);
    const chunk = this.#chunks[at] as Item[];
    if (place === chunk.length) chunk.push(item);
    else chunk.splice(place, 0, item);
    this.#length += 1;
    if (chunk.length > mostItems) this.#split(at, place);
  }

  /** Removes an item of the list. Its key must be the same as when it was inserted. @throws if the item is not found */
  delete(item: Item): void {
    const [at, behind] = this.#after(item);
    const chunk = this.#chunks[at] as Item[];
    if (chunk[behind - 1] !== item) throw new Error('the item to delete is not in the list at its key');
    if (behind === chunk.length) chunk.pop();
    else chunk.splice(behind - 1, 1);
    this.#length -= 1;
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
  }

  [Symbol.iterator](): Generator<Item, undefined> {
    return this.#from(0, 0);
  }

  /** The items after a key. The key itself need not be in the list. The list must not change meanwhile. */
  after(key: Key): Generator<Item, undefined> {
    return this.#from(...this.#after(key));
  }

  /** The items up to a key, in order. */
  *upTo(key: Key): Generator<Item, undefined> {
    for (const item of this) {
      if (this.compare(item, key) > 0) return;
      yield item;
    }
  }

  /** How many items come after a key. Counts chunks from the last one on. */
  countAfter(key: Key): number {
    const [at, place] = this.#after(key);
    let count = -place;
    for (let later = this.#chunks.length - 1; later >= at; later--) count += (this.#chunks[later] as Item[]).length;
    return count;
  }

  /** The items from the last to the first. The list must not change meanwhile. */
  *backwards(): Generator<Item, undefined> {
    for (let at = this.#chunks.length - 1; at >= 0; at--) {
      const chunk = this.#chunks[at] as Item[];
      for (let place = chunk.length - 1; place >= 0; place--) yield chunk[place] as Item;
    }
  }

  *#from(at: number, place: number): Generator<Item, undefined> {
    let start = place;
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[++at], start = 0)
      for (let i = start; i < chunk.length; i++) yield chunk[i] as Item;
  }

  /** Cuts a chunk in half. The last chunk stays whole if the new item is at its end, as nearly all are. */
  #split(at: number, place: number): void {
    const isAtEnd = at === this.#chunks.length - 1 && place === mostItems;
    const rest = (this.#chunks[at] as Item[]).splice(isAtEnd ? mostItems : mostItems / 2);
    this.#chunks.splice(at + 1, 0, rest);
  }

  /** The place of the first item after a key: the index of a chunk, and the place in it, which may be its end. */
  #after(key: Key): [at: number, place: number] {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as Item[];
    // Most come behind all others.
    let high = chunk.length;
    if (high > 0 && this.compare(chunk[high - 1] as Item, key) <= 0) return [at, high];
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(chunk[middle] as Item, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return [at, low];
  }

  /** Index of the last chunk that begins at or before the key; 0 if there is none. */
  #chunkOf(key: Key): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    if (high > 0 && this.#beginsUpTo(high, key)) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#beginsUpTo(middle, key)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #beginsUpTo(at: number, key: Key): boolean {
    return this.compare((this.#chunks[at] as Item[])[0] as Item, key) <= 0;
  }
}

/** The order by seq. */
export function bySeq(a: { readonly seq: number }, b: { readonly seq: number }): number {
  return a.seq - b.seq;
}
