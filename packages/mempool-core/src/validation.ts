import type { ReceiveOutcome } from './store.ts';
import type { Transaction } from './transaction.ts';

/** What the application says of a transaction before the pool takes it in. */
export type Verdict = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly reason: string };

/**
 * The application's check of a transaction that the pool does not know yet. It runs before the store is asked and holds
 * nothing up: calls made meanwhile do not wait for it. What it throws, the caller of `submit` gets.
 */
export type Validate = (transaction: Transaction) => Verdict | Promise<Verdict>;

/** The application refused it; the store has not seen it. */
export interface Refused {
  readonly kind: 'refused';
  readonly hash: string;
  readonly reason: string;
}

export type SubmitOutcome = ReceiveOutcome | Refused;
