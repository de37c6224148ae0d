const slack = 1_024;

/** Items numbered from 1 without gaps, of which the oldest go. */
export class Series<T> {
  #items: T[] = [];
  #head = 0;
  /** Number of the newest item; 0 before the first. */
  last = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Number of the oldest item kept; `last + 1` when there is none. */
  get oldest(): number {
    return this.last - this.length + 1;
  }

  push(item: T): void {
    this.#items.push(item);
    this.last += 1;
  }

  /**
   * Takes out the oldest items beyond `size`. The room of taken ones is freed now and then, so that each costs little.
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

  *from(number: number): Generator<[number: number, item: T], undefined> {
    const first = this.oldest - this.#head;
    for (let n = Math.max(number, this.oldest); n <= this.last; n++) yield [n, this.#items[n - first] as T];
  }
}
