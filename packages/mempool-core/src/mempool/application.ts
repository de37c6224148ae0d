import { checkRefusal } from '../boundary/pool-arguments.ts';
import { unlessAborted } from '../boundary/unless-aborted.ts';
import { checkVerdict } from '../boundary/verdicts.ts';
import { invalid } from '../contract/errors.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Answer, Validate, ValidateContext } from '../contract/validation.ts';
import { type CheckedVerdict, isRefusal, type Refusal } from '../contract/verdict.ts';
import type { InvalidHashes } from './invalid-hashes.ts';

/** The checked answer of the application. */
export type Judgement = { readonly verdict: CheckedVerdict } | { readonly refusal: Refusal };

/** A call of `validate` that is under way. */
interface Question {
  readonly transaction: Transaction;
  readonly signal: AbortSignal | undefined;
  readonly judgement: Promise<Judgement>;
}

/** Calls the application's `validate`. It passes a copy of the payload, checks the answer and remembers refusals. */
export class Application {
  readonly #validate: Validate;
  readonly #invalid: InvalidHashes;
  readonly #questions = new Map<string, Question>();

  constructor(validate: Validate, refused: InvalidHashes) {
    this.#validate = validate;
    this.#invalid = refused;
  }

  /**
   * Validates a new transaction. It returns a remembered refusal, or shares a call that is under way for the same bytes,
   * height and tip, or calls `validate`. So a transaction that many peers send at once is validated once.
   * @param tip the hash of the pool's last block; `null` if it has none
   */
  async judgeNew(
    transaction: Transaction,
    tip: string | null,
    context: Omit<ValidateContext, 'occasion'>,
  ): Promise<Judgement> {
    const key = `${transaction.hash} ${context.height} ${tip}`;
    for (;;) {
      const refusal = this.#invalid.find(transaction, tip);
      if (refusal !== null) return { refusal };
      const question = this.#questions.get(key);
      if (question === undefined || !sameBytes(question.transaction, transaction))
        return this.#ask(
          key,
          transaction,
          this.judge(transaction, tip, { ...context, occasion: 'new' }),
          context.signal,
        );
      try {
        return await unlessAborted(question.judgement, context.signal);
      } catch (error) {
        // The caller that started the shared call has aborted. Try again.
        if (context.signal?.aborted || !question.signal?.aborted) throw error;
      }
    }
  }

  /**
   * Calls `validate` and checks its answer. It remembers a refusal for this tip.
   * @throws any error of `validate`; the signal's reason; `ERR_MEMPOOL_INVALID` if the answer is no verdict or refusal
   */
  async judge(transaction: Transaction, tip: string | null, context: ValidateContext): Promise<Judgement> {
    const { hash, payload, payloadType } = transaction;
    const theirs = { hash, payload: Buffer.from(payload), payloadType };
    const asked = async (): Promise<Answer> => this.#validate(theirs, context);
    const answer = await unlessAborted(asked(), context.signal);
    if (typeof answer !== 'object' || answer === null)
      throw invalid('validate', 'a function that returns a verdict or a refusal');
    if (!isRefusal(answer)) return { verdict: checkVerdict('verdict', answer) };
    const refusal = Object.freeze(checkRefusal('refusal', answer));
    this.#invalid.add(transaction, tip, refusal);
    return { refusal };
  }

  async #ask(
    key: string,
    transaction: Transaction,
    judgement: Promise<Judgement>,
    signal: AbortSignal | undefined,
  ): Promise<Judgement> {
    const question = { transaction, signal, judgement };
    this.#questions.set(key, question);
    try {
      return await question.judgement;
    } finally {
      if (this.#questions.get(key) === question) this.#questions.delete(key);
    }
  }
}

function sameBytes(a: Transaction, b: Transaction): boolean {
  return a.payloadType === b.payloadType && Buffer.compare(a.payload, b.payload) === 0;
}
