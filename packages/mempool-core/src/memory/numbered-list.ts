/** A list tidies itself when so many of its items have left, and half of it. */
const fewest = 1_024;

/** Items that are numbered from 1 without gaps. Only the oldest are removed. */
export class NumberedList<Item> {
  /** The items kept, after `#left` places whose items have left. */
  #items: (Item | undefined)[] = [];
  #left = 0;
  /** Number of the newest item; 0 before the first. */
  last = 0;

  get length(): number {
    return this.#items.length - this.#left;
  }

  /** Number of the oldest item kept; `last + 1` if none is kept. */
  get oldest(): number {
    return this.last - this.length + 1;
  }

  /** Adds an item. Returns its number. */
  push(item: Item): number {
    this.#items.push(item);
    this.last += 1;
    return this.last;
  }

  /** The item with this number, which must be kept. */
  at(number: number): Item {
    return this.#items[this.#left + number - this.oldest] as Item;
  }

  /** At most `limit` items that are kept, from this number on. */
  page(number: number, limit: number): Item[] {
    const first = Math.max(number, this.oldest);
    const count = Math.max(0, Math.min(this.last - first + 1, limit));
    return Array.from({ length: count }, (_, i) => this.at(first + i));
  }

  /** Removes the oldest item, which must exist. */
  shift(): Item {
    const oldest = this.#items[this.#left] as Item;
    this.#items[this.#left] = undefined;
    this.#left += 1;
    if (this.#left >= fewest && 2 * this.#left >= this.#items.length) {
      this.#items = this.#items.slice(this.#left);
      this.#left = 0;
    }
    return oldest;
  }
}
