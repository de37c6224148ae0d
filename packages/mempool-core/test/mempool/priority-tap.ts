import type { MempoolOptions, OpenOptions, SubmitOutcome, Transaction, Verdict } from 'mempool-core';
import { hash, type Opened, open, transaction } from './tap.ts';

/** A transaction that its number tells apart, with what the application says of it. */
export function pays(n: number, priority: bigint, rest: Verdict = {}): Transaction & { readonly verdict: Verdict } {
  return { ...transaction(n), verdict: { ...rest, priority } };
}

export function openPriority(options: MempoolOptions = {}, storeOptions: OpenOptions = {}): Promise<Opened> {
  return open(options, { ...storeOptions, ordering: 'priority' });
}

/** Which of the numbered transactions these are. */
export function numbers(named: readonly { readonly hash: string }[]): number[] {
  return named.map((each) => Number.parseInt(each.hash, 16));
}

export function kinds(outcomes: readonly SubmitOutcome[]): string[] {
  return outcomes.map(({ kind }) => kind);
}

export const hashes = (...all: number[]): string[] => all.map(hash);
