import type { ReadOptions } from './call-options.ts';
import type { ReceiveOptions } from './pool-verbs.ts';
import type { Transaction } from './transaction.ts';
import type { Refusal, Verdict } from './verdict.ts';

/** The context of a validation. `signal` aborts when no caller waits for the answer any more. */
export interface ValidateContext extends ReadOptions {
  /**
   * `new` if the transaction is not in the pool yet. `recheck` if it is, so checks whose result cannot change may be left
   * out.
   */
  readonly occasion: 'new' | 'recheck';
  /** The chain's height from the call or the pool's option; else the number of blocks applied. */
  readonly height?: number | undefined;
}

/** A verdict or a refusal. Only a refusal has a `code`; `{}` is a verdict. */
export type Answer = Refusal | (Verdict & { readonly [F in keyof Refusal]?: undefined });

/**
 * The application's validation of a transaction. A verdict accepts the transaction, a refusal rejects it. It runs before
 * the pool receives the transaction, and other calls do not wait for it. If it throws, `submit` rejects with that error.
 */
export type Validate = (transaction: Transaction, context: ValidateContext) => Answer | Promise<Answer>;

/** The application refused the transaction. Nothing was stored. */
export interface Refused extends Refusal {
  readonly kind: 'refused';
  readonly hash: string;
}

/** Options of `submit` and `receive`. */
export interface SubmitOptions extends ReceiveOptions {
  /** The peer that sent the submissions, for those that name no peer. */
  readonly from?: string | undefined;
}
