const chunkItems = 256;

/** Items in an order, in chunks: taking one in or out moves no more than a chunk. The order of two items must never be equal. */
export class SortedList<Item extends Key, Key = Item> implements Iterable<Item> {
  readonly #compare: (a: Key, b: Key) => number;
  readonly #chunks: Item[][] = [[]];
  #length = 0;

  constructor(compare: (a: Key, b: Key) => number) {
    this.#compare = compare;
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
    this.#length += 1;
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at] as Item[];
    const place = this.#placeBehind(chunk, item);
    if (place === chunk.length) chunk.push(item);
    else chunk.splice(place, 0, item);
    if (chunk.length > chunkItems) this.#split(at, chunk, place);
  }

  /** Of an item that is in the list, with the key that it had when it was taken in. */
  delete(item: Item): void {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at] as Item[];
    const place = this.#placeBehind(chunk, item) - 1;
    if (place < 0 || chunk[place] !== item) throw new Error('an item to delete is not in its place');
    this.#length -= 1;
    if (place === chunk.length - 1) chunk.pop();
    else chunk.splice(place, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
  }

  [Symbol.iterator](): Generator<Item, undefined> {
    return this.#from(0, 0);
  }

  /** What comes behind a key, whether that is in the list or not. */
  after(key: Key): Generator<Item, undefined> {
    const at = this.#chunkOf(key);
    return this.#from(at, this.#placeBehind(this.#chunks[at] as Item[], key));
  }

  /** From the last to the first. */
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

  /** Where nearly all new items go, at the end, no chunk is cut in half. */
  #split(at: number, chunk: Item[], place: number): void {
    const isLast = at === this.#chunks.length - 1 && place === chunk.length - 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(isLast ? chunkItems : chunkItems / 2));
  }

  /** The last chunk that begins at or before the key; the first where none does. */
  #chunkOf(key: Key): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    if (high > 0 && this.#compare((this.#chunks[high] as Item[])[0] as Item, key) <= 0) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#compare((this.#chunks[middle] as Item[])[0] as Item, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #placeBehind(chunk: readonly Item[], key: Key): number {
    let high = chunk.length;
    if (high > 0 && this.#compare(chunk[high - 1] as Item, key) <= 0) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(chunk[middle] as Item, key) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
