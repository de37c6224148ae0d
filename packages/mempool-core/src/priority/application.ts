import { invalid } from '../errors.ts';
import type { Transaction } from '../transaction.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Answer, Validate, ValidateContext } from '../validation.ts';
import type { InvalidHashes } from './invalid-hashes.ts';
import { ownVerdict } from './own-verdict.ts';
import { checkRefusal } from './priority-arguments.ts';
import { isRefusal, type Refusal, type Verdict } from './verdict.ts';

export type Judgement = { readonly verdict: Verdict } | { readonly refusal: Refusal };

/** The application as the pool asks it: with bytes of its own, its answer checked, its refusals remembered. */
export class Application {
  readonly #validate: Validate;
  readonly #invalid: InvalidHashes;

  constructor(validate: Validate, refused: InvalidHashes) {
    this.#validate = validate;
    this.#invalid = refused;
  }

  /** What it said of late, else what it says now. */
  async judgeNew(transaction: Transaction, context: Omit<ValidateContext, 'occasion'>): Promise<Judgement> {
    const refusal = this.#invalid.find(transaction, context.height);
    return refusal === null ? this.judge(transaction, { ...context, occasion: 'new' }) : { refusal };
  }

  /** @throws what the application throws; the signal's reason; `ERR_MEMPOOL_INVALID` for an answer that is neither */
  async judge(transaction: Transaction, context: ValidateContext): Promise<Judgement> {
    const { hash, payload, payloadType } = transaction;
    const theirs = { hash, payload: Buffer.from(payload), payloadType };
    const asked = async (): Promise<Answer> => this.#validate(theirs, context);
    const answer = await unlessAborted(asked(), context.signal);
    if (typeof answer !== 'object' || answer === null) throw invalid('validate', 'told a verdict or a refusal');
    if (!isRefusal(answer)) return { verdict: ownVerdict('verdict', answer) };
    const refusal = Object.freeze(checkRefusal('refusal', answer));
    this.#invalid.add(transaction, context.height, refusal);
    return { refusal };
  }
}
