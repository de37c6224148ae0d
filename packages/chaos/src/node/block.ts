import type { Block, ChainPoint, SourceStep, Transaction } from 'mempool-core';

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

/** Transaction number `n`. */
export function transaction(n: number): Transaction {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(n);
  return { hash: hashOf(n), payload, payloadType: n };
}

function point(n: number): ChainPoint {
  return { slot: 20 * n, hash: hashOf(0xb10c_0000 + n) };
}

/** Block `n` of the one chain that every scenario follows: on block `n - 1`, with transaction `n`. */
export function block(n: number): Block {
  return { point: point(n), parent: point(n - 1).hash, seen: [hashOf(n)], unseen: [] };
}

export function numberOf(at: ChainPoint | null): number | null {
  return at === null ? null : at.slot / point(1).slot;
}

export function growth(from: number, to: number): SourceStep[] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({ kind: 'apply', block: block(from + i) }));
}

/** The number of a transaction of `transaction`. */
export function numberOfTransaction(hash: string): number {
  return Number.parseInt(hash, 16);
}

/** Block `n` of a chain whose blocks carry the transactions of these numbers. */
export function chainBlock(n: number, numbers: readonly number[]): Block {
  return { point: point(n), parent: n === 1 ? null : point(n - 1).hash, seen: numbers.map(hashOf), unseen: [] };
}
