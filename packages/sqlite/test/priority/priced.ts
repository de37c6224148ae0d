import type { Submission, Verdict } from 'mempool-core';
import { transaction } from '../numbered.ts';

/** A transaction made of its number, with a price of its own: every process can say what it should find. */
export function priced(n: number, verdict: Verdict = {}, bytes?: number): Submission {
  return { ...transaction(n, bytes), verdict: { priority: BigInt((n * 7919) % 1000), ...verdict } };
}
