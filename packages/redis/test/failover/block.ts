import type { Block, ChainPoint, SourceStep } from 'mempool-core';
import { hashOf, point } from '../chain.ts';

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
