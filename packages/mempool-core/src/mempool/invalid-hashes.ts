import { createHash } from 'node:crypto';
import type { Transaction } from '../contract/transaction.ts';
import type { Refusal } from '../contract/verdict.ts';

/** Options of `InvalidHashes`. */
export interface InvalidHashesOptions {
  /** The most refusals remembered. Beyond it, the oldest is forgotten first. */
  readonly maxInvalid: number;
  /** How long a refusal is remembered, in milliseconds. 0 turns this off. */
  readonly keepInvalidMs: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

interface Remembered {
  readonly refusal: Refusal;
  /** Digest of payload and type. Other bytes under the same hash must not keep out the valid transaction. */
  readonly digest: string;
  /** The hash of the pool's last block; `null` if it has none. */
  readonly tip: string | null;
  readonly untilMs: number;
}

/**
 * Remembers recent refusals, so that a bad transaction from many peers is validated once. A refusal is valid for the last
 * block of the pool only: after another block, also one of a fork at the same height, the application validates again.
 */
export class InvalidHashes {
  readonly #options: InvalidHashesOptions;
  /** Oldest first. All refusals are remembered for the same time. */
  readonly #byHash = new Map<string, Remembered>();

  constructor(options: InvalidHashesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Returns the refusal of these bytes at this tip; `null` if none is remembered. */
  find(transaction: Transaction, tip: string | null): Refusal | null {
    this.#forgetOld();
    const found = this.#byHash.get(transaction.hash);
    if (found === undefined || found.tip !== tip || found.digest !== digest(transaction)) return null;
    return found.refusal;
  }

  add(transaction: Transaction, tip: string | null, refusal: Refusal): void {
    const { maxInvalid, keepInvalidMs, clock } = this.#options;
    if (keepInvalidMs === 0) return;
    this.#forgetOld();
    this.#byHash.delete(transaction.hash);
    this.#byHash.set(transaction.hash, {
      refusal,
      digest: digest(transaction),
      tip,
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
