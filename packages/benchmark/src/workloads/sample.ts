import { randomBytes } from 'node:crypto';
import type { Transaction } from 'mempool-core';

const smallestPayload = 300;
const largestPayload = 2_000;
const hashBytes = 32;
const noise: Buffer = randomBytes(1 << 20);

/** Fresh transactions with payloads of 300–2,000 bytes (mean 1,150): new key strings, whose hash the engine has not cached. */
export function freshTransactions(count: number): Transaction[] {
  // At once for all: a turn prepares far more often than it lasts.
  const hashes = randomBytes(count * hashBytes);
  return Array.from({ length: count }, (_, i) => {
    const at = i * hashBytes;
    const length = smallestPayload + (hashes.readUInt32BE(at) % (largestPayload - smallestPayload + 1));
    const start = hashes.readUInt32BE(at + 4) % (noise.length - length);
    const hash = hashes.toString('hex', at, at + hashBytes);
    return { hash, payload: noise.subarray(start, start + length), payloadType: 6 };
  });
}

export function batches<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size));
  return result;
}

export function hashesOf(transactions: readonly Transaction[]): string[] {
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
