import type { ChainPoint, Transaction } from 'mempool-core';

/** Hash number `n`. */
export function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

/** Transaction number `n`, with a payload that tells it from the others. */
export function transaction(n: number, payloadBytes = 8): Transaction {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt32BE(n);
  return { hash: hashOf(n), payload, payloadType: n % 0x1_0000 };
}

export function transactions(...numbers: readonly number[]): Transaction[] {
  return numbers.map((n) => transaction(n));
}

/** Block number `n` of a chain. */
export function point(n: number): ChainPoint {
  return { slot: 20 * n, hash: hashOf(0xb10c_0000 + n) };
}
