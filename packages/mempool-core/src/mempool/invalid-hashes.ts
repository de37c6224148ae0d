import { createHash } from 'node:crypto';
import type { Transaction } from '../contract/transaction.ts';
import type { Refusal } from '../contract/verdict.ts';

export interface InvalidHashesOptions {
  /** How many are remembered; the oldest goes first. */
  readonly maxInvalid: number;
  /** How long; 0 = not at all. */
  readonly keepInvalidMs: number;
  /** Milliseconds that only rise. */
  readonly clock: () => number;
}

interface Remembered {
  readonly refusal: Refusal;
  /** Of payload and type: whoever sends other bytes under somebody's hash must not keep that one out. */
  readonly digest: string;
  readonly height: number | undefined;
  readonly untilMs: number;
}

/**
 * What the application refused of late, so that garbage which many peers send is validated once. A refusal holds for the
 * height that it was given at: at another one the application is asked again.
 */
export class InvalidHashes {
  readonly #options: InvalidHashesOptions;
  /** The oldest first: they are remembered equally long. */
  readonly #byHash = new Map<string, Remembered>();

  constructor(options: InvalidHashesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byHash.size;
  }

  find(transaction: Transaction, height: number | undefined): Refusal | null {
    this.#forgetOld();
    const found = this.#byHash.get(transaction.hash);
    if (found === undefined || found.height !== height || found.digest !== digest(transaction)) return null;
    return found.refusal;
  }

  add(transaction: Transaction, height: number | undefined, refusal: Refusal): void {
    const { maxInvalid, keepInvalidMs, clock } = this.#options;
    if (keepInvalidMs === 0) return;
    this.#forgetOld();
    this.#byHash.delete(transaction.hash);
    this.#byHash.set(transaction.hash, {
      refusal,
      digest: digest(transaction),
      height,
      untilMs: clock() + keepInvalidMs,
    });
    for (const hash of this.#byHash.keys()) {
      if (this.#byHash.size <= maxInvalid) return;
      this.#byHash.delete(hash);
    }
  }

  #forgetOld(): void {
    const nowMs = this.#options.clock();
    for (const [hash, { untilMs }] of this.#byHash) {
      if (untilMs > nowMs) return;
      this.#byHash.delete(hash);
    }
  }
}

function digest({ payload, payloadType }: Transaction): string {
  return createHash('sha256').update(`${payloadType}:`).update(payload).digest('base64');
}
