/** A seeded random number generator: mulberry32 (public domain, Tommy Ettinger). Equal seeds give equal sequences. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** Returns an integer of 0…2^32 − 1. */
  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** Returns an integer of 0…n − 1. */
  below(n: number): number {
    return Math.floor((this.uint32() / 0x1_0000_0000) * n);
  }

  /** Returns one of the items. The list must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Returns the items in a random order. */
  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return Array.from({ length: rest.length }, () => rest.splice(this.below(rest.length), 1)[0] as T);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  hex(bytes: number): string {
    return Buffer.from(this.bytes(bytes)).toString('hex');
  }
}
