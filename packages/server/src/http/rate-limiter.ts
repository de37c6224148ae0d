const maxRemembered = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * At most so many requests per second for each key, by a token bucket that holds one second's worth. It remembers 10,000
 * keys and forgets first the one that was quiet longest.
 */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #clock: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, clock: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Takes one request of this key. Returns 0, or after how many whole seconds the next one is taken. */
  take(key: string): number {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return 0;
    const bucket = this.#refilled(key);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond));
  }

  #refilled(key: string): Bucket {
    const now = this.#clock();
    const known = this.#buckets.get(key);
    const grown =
      known === undefined ? Number.POSITIVE_INFINITY : known.tokens + ((now - known.at) / 1000) * this.#perSecond;
    const bucket = { tokens: Math.min(Math.max(1, this.#perSecond), grown), at: now };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.size > maxRemembered ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
