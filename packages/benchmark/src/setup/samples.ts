import { randomBytes } from 'node:crypto';
import type { Policy, Submission, Transaction } from 'mempool-core';

const smallestPayload = 300;
const largestPayload = 2_000;
const hashBytes = 32;
const noise: Buffer = randomBytes(1 << 20);
/** What one call of a filling pool receives. */
const fillSize = 1_000;

/** Fresh transactions with payloads of 300–2,000 bytes (mean 1,150). Their key strings are new, so the engine has not cached the hash of any. */
export function freshTransactions(count: number): Transaction[] {
  // All at once: a turn prepares far more often than it lasts.
  const hashes = randomBytes(count * hashBytes);
  return Array.from({ length: count }, (_, i) => {
    const at = i * hashBytes;
    const length = smallestPayload + (hashes.readUInt32BE(at) % (largestPayload - smallestPayload + 1));
    const start = hashes.readUInt32BE(at + 4) % (noise.length - length);
    const hash = hashes.toString('hex', at, at + hashBytes);
    return { hash, payload: noise.subarray(start, start + length), payloadType: 6 };
  });
}

/** A submission to a priority pool, with its priority. */
export interface Priced extends Submission, Transaction {
  readonly payloadType: number;
  readonly verdict: { readonly priority: bigint; readonly provides?: readonly string[] };
}

/** Priorities come from a window of this width: wide enough that no two are equal, narrow enough to move it up for long. */
const priorityDigits = 11;

/** Fresh transactions, each with a random priority of its own from `least` on. */
export function pricedTransactions(count: number, least = 0n): Priced[] {
  return freshTransactions(count).map((transaction) => ({
    ...transaction,
    verdict: { priority: least + BigInt(`0x${transaction.hash.slice(-priorityDigits)}`) },
  }));
}

export const hourMs = 3_600_000;

/** A priority pool without limits, whose transactions outlive every run. */
export const priorityOptions = {
  ordering: 'priority',
  maxTxs: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  ttlMs: 1_000 * hourMs,
} as const;

/** `count` fresh transactions, call by call: a million at once would not fit. */
export function* freshCalls<T>(count: number, batch: (count: number) => T[]): Generator<T[]> {
  for (let left = count; left > 0; left -= fillSize) yield batch(Math.min(left, fillSize));
}

export function batches<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size));
  return result;
}

export function hashesOf(transactions: readonly Pick<Transaction, 'hash'>[]): string[] {
  return transactions.map(({ hash }) => hash);
}

export function payloadBytes(transactions: readonly Transaction[]): number {
  return transactions.reduce((bytes, { payload }) => bytes + payload.length, 0);
}

let nextSlot = 1;

/** A chain point that was not used before. */
export function freshPoint(): { slot: number; hash: string } {
  return { slot: nextSlot++, hash: randomBytes(32).toString('hex') };
}

/** No block of the benchmark may age the transactions that other turns count on. */
export const never: Policy = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };

/** The hashes of the stored transactions, kept as bytes: each read makes fresh strings, whose hash the engine has not cached. */
export class Stored {
  readonly #bytes: Buffer;
  #count = 0;
  #next = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity * hashBytes);
  }

  get count(): number {
    return this.#count;
  }

  add(transactions: readonly Transaction[]): void {
    for (const { hash } of transactions) this.#bytes.write(hash, hashBytes * this.#count++, 'hex');
  }

  /** Different hashes from all over, at most as many as there are; others the next time. */
  some(wanted: number): string[] {
    const count = Math.min(wanted, this.#count);
    const step = Math.floor(this.#count / count);
    const first = this.#next++ % step;
    return Array.from({ length: count }, (_, i) => this.#at(first + i * step));
  }

  /** A place from which `count` can be read in their order; another the next time. */
  place(count: number): number {
    const places = Math.max(1, Math.floor(this.#count / count));
    return (this.#next++ % places) * Math.min(count, this.#count);
  }

  /** The hashes that were stored one after the other from a place on. */
  run(from: number, count: number): string[] {
    return Array.from({ length: Math.min(count, this.#count - from) }, (_, i) => this.#at(from + i));
  }

  #at(index: number): string {
    return this.#bytes.toString('hex', index * hashBytes, (index + 1) * hashBytes);
  }
}

/** The priorities in a full pool, the worst first. */
export class Standings {
  readonly #priorities: BigInt64Array;

  constructor(priorities: Iterable<bigint>) {
    this.#priorities = BigInt64Array.from(priorities).sort();
  }

  /** Newcomers of which each beats the worst after the ones before it evicted one each; at most half as many as the pool holds. */
  better(wanted: number): Priced[] {
    const count = Math.max(1, Math.min(wanted, Math.floor(this.#priorities.length / 2)));
    return pricedTransactions(count, (this.#priorities[count - 1] ?? 0n) + 1n);
  }

  /** They took the places of the worst. */
  replaced(newcomers: readonly Priced[]): void {
    this.#priorities.set(newcomers.map(({ verdict }) => verdict.priority));
    this.#priorities.sort();
  }
}
