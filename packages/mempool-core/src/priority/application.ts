import { invalid } from '../errors.ts';
import type { Transaction } from '../transaction.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Validate, ValidateContext } from '../validation.ts';
import type { InvalidHashes } from './invalid-hashes.ts';
import { checkRefusal } from './priority-arguments.ts';
import { checkVerdict, defaultVerdict, isRefusal, type Refusal, type Verdict } from './verdict.ts';

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
    const asked = async (): Promise<Verdict | Refusal> => this.#validate(theirs, context);
    const answer = await unlessAborted(asked(), context.signal);
    if (typeof answer !== 'object' || answer === null) throw invalid('validate', 'told a verdict or a refusal');
    if (!isRefusal(answer)) return { verdict: ownVerdict(answer) };
    const refusal = Object.freeze(checkRefusal('refusal', answer));
    this.#invalid.add(transaction, context.height, refusal);
    return { refusal };
  }
}

/** A field that no verdict has is a mistake: what was meant as a refusal must not take a transaction in. */
function ownVerdict(verdict: Verdict): Verdict {
  const unknown = Object.keys(verdict).find((field) => !Object.hasOwn(defaultVerdict, field));
  if (unknown !== undefined) throw invalid(`verdict.${unknown}`, 'left out: a verdict has no such field');
  const { senderLimit, expiresAt, expiresAtHeight, ...rest } = checkVerdict('verdict', verdict);
  return {
    ...rest,
    senderLimit: senderLimit ?? undefined,
    expiresAt: expiresAt ?? undefined,
    expiresAtHeight: expiresAtHeight ?? undefined,
  };
}
