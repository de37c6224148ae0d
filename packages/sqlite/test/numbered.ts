import type { ChainPoint, Ordering, Submission, Transaction, Verdict } from 'mempool-core';

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

/** With a price of its own. */
export function priced(n: number, verdict: Verdict = {}, bytes?: number): Submission {
  return { ...transaction(n, bytes), verdict: { priority: BigInt((n * 7919) % 1000), ...verdict } };
}

/** What a pool of the ordering takes: in a priority pool the later ones pay more. */
export function submission(ordering: Ordering, n: number): Submission {
  return ordering === 'fifo' ? transaction(n) : priced(n, { priority: BigInt(n) });
}

/** The numbers from `first` on. */
export function numbers(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

export function pointOf(n: number): ChainPoint {
  return { slot: n, hash: hashOf(n + 0x1000_0000) };
}
