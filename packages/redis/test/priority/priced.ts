import type { Submission, Verdict } from 'mempool-core';
import { transaction } from '../chain.ts';

/** Transaction number `n`, with a price of its own unless the verdict names one. */
export function priced(n: number, verdict: Verdict = {}, payloadBytes = 8): Submission {
  return { ...transaction(n, payloadBytes), verdict: { priority: BigInt((n * 7919) % 1_000), ...verdict } };
}

export function numbers(count: number, first = 1): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}
