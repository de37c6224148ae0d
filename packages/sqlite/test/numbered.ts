import type { ChainPoint, Transaction } from 'mempool-core';

/** Transactions and blocks made of their numbers, so that every process can say what it should find. */
export function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

export function payloadOf(n: number, bytes = 100): Buffer {
  return Buffer.alloc(bytes, `payload ${n} `);
}

export function transaction(n: number, bytes?: number): Transaction {
  return { hash: hashOf(n), payload: payloadOf(n, bytes), payloadType: n & 0xffff };
}

/** The numbers from `first` on. */
export function numbers(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

export function pointOf(n: number): ChainPoint {
  return { slot: n, hash: hashOf(n + 0x1000_0000) };
}
