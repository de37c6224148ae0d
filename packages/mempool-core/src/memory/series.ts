const slack = 1_024;

/** Items that are numbered from 1 without gaps. Only the oldest items are removed. */
export class Series<T> {
  #items: T[] = [];
  #head = 0;
  /** Number of the newest item; 0 before the first. */
  last = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Number of the oldest item kept; `last + 1` if none is kept. */
  get oldest(): number {
    return this.last - this.length + 1;
  }

  push(item: T): void {
    this.#items.push(item);
    this.last += 1;
  }

  /**
   * Removes and returns the oldest items beyond `size`. Memory is freed in batches, which keeps the cost per item low.
   */
  trim(size: number): T[] {
    const excess = this.length - size;
    if (excess <= 0) return [];
    const trimmed = this.#items.slice(this.#head, this.#head + excess);
    this.#items.fill(undefined as T, this.#head, this.#head + excess);
    this.#head += excess;
    if (this.#head > slack + this.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return trimmed;
  }

  /** The items from `number` on, each with its number. */
  *from(number: number): Generator<[number: number, item: T], undefined> {
    const first = this.oldest - this.#head;
    for (let n = Math.max(number, this.oldest); n <= this.last; n++) yield [n, this.#items[n - first] as T];
  }
}
