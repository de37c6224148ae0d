/** Which hash each kept log entry is of, and which entry of a hash is its latest: what trimming the log needs to know. */
export class LogIndex {
  /** Number of the newest entry; 0 before the first. */
  last: number;
  #first: number;
  readonly #hashes = new Map<number, string>();
  readonly #latest = new Map<string, number>();

  constructor(first: number) {
    this.#first = first;
    this.last = first - 1;
  }

  /** Number of the oldest entry kept; `last + 1` when there is none. */
  get first(): number {
    return this.#first;
  }

  hashAt(number: number): string | undefined {
    return this.#hashes.get(number);
  }

  latest(hash: string): number | undefined {
    return this.#latest.get(hash);
  }

  push(hash: string): void {
    this.last += 1;
    this.#hashes.set(this.last, hash);
    this.#latest.set(hash, this.last);
  }

  /** It is live again: its older entries are history alone. */
  revive(hash: string): void {
    this.#latest.delete(hash);
  }

  trim(size: number): void {
    for (; this.#first <= this.last - size; this.#first += 1) {
      const hash = this.#hashes.get(this.#first) as string;
      this.#hashes.delete(this.#first);
      if (this.#latest.get(hash) === this.#first) this.#latest.delete(hash);
    }
  }
}
