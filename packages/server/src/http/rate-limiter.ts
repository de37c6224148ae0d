const maxRemembered = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

interface RateOptions {
  /** What a bucket holds; default: one second's worth. */
  readonly atOnce?: number | undefined;
}

/**
 * At most so many requests per second for each key, by a token bucket. It remembers 10,000
 * keys and forgets first the one that was quiet longest.
 */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, { atOnce = Math.max(1, perSecond) }: RateOptions = {}) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
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

  /** Takes so many more with the request that was just taken. They may be more than the bucket has: then the next request has to wait longer. */
  owe(key: string, count: number): void {
    if (this.#perSecond !== Number.POSITIVE_INFINITY) this.#refilled(key).tokens -= count;
  }

  #refilled(key: string): Bucket {
    const at = performance.now();
    const known = this.#buckets.get(key);
    const grown =
      known === undefined ? Number.POSITIVE_INFINITY : known.tokens + ((at - known.at) / 1000) * this.#perSecond;
    const bucket = { tokens: Math.min(this.#atOnce, grown), at };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.size > maxRemembered ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
