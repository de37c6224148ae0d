import type { ReadOptions } from '../contract/call-options.ts';
import type { ReceiveOptions } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Refusal, Verdict } from '../contract/verdict.ts';

/** What the application is told beside the transaction. Aborted: nobody waits for the answer any more. */
export interface ValidateContext extends ReadOptions {
  /** Before the pool takes it in, or while it is there already: what cannot change need not be checked again. */
  readonly occasion: 'new' | 'recheck';
  /** The chain's height, where the pool was told; else, in a priority pool, the number of blocks applied. */
  readonly height?: number | undefined;
}

/** A refusal has a code; a verdict has none, and `{}` is one. */
export type Answer = Refusal | (Verdict & { readonly [F in keyof Refusal]?: undefined });

/**
 * The application's check of a transaction: a verdict takes it in, a refusal keeps it out. It runs before the store is asked and
 * holds nothing up: calls made meanwhile do not wait for it. What it throws, the caller of `submit` gets.
 */
export type Validate = (transaction: Transaction, context: ValidateContext) => Answer | Promise<Answer>;

/** The application refused it; the store has not seen it. */
export interface Refused extends Refusal {
  readonly kind: 'refused';
  readonly hash: string;
}

export type SubmitOutcome = ReceiveOutcome | Refused;

export interface SubmitOptions extends ReceiveOptions {
  /** The peer that sent what does not say it itself. */
  readonly from?: string | undefined;
}
