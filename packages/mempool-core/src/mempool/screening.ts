import type { OwnSubmission } from '../boundary/submissions.ts';
import { unlessAborted } from '../boundary/unless-aborted.ts';
import type { ReadContext, WriteContext } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Ordering } from '../contract/limits.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Tip, Transaction, TransactionStatus } from '../contract/transaction.ts';
import type { Refused } from '../contract/validation.ts';
import { type CheckedVerdict, defaultVerdict, type Refusal } from '../contract/verdict.ts';
import type { Application } from './application.ts';
import { refusedBefore } from './standard-refusals.ts';

/** The result of the screening of one submission. */
export type Screened =
  /** The outcome is known without a call of the store. */
  | { readonly kind: 'answered'; readonly outcome: Extract<ReceiveOutcome, { readonly kind: 'duplicate' }> | Refused }
  | {
      readonly kind: 'admitted';
      readonly submission: OwnSubmission;
      /** The height at which it was validated, if known. */
      readonly height?: number | undefined;
    }
  /**
   * The pool had the transaction a moment ago. If it has left the pool since, the outcome shows this (`isGone`), and the
   * submission is screened again.
   */
  | { readonly kind: 'known'; readonly submission: OwnSubmission };

export interface ScreeningParts {
  /** The application; `null` if all transactions are accepted. */
  readonly application: Application | null;
  readonly ordering: Ordering;
  status(hash: string, context: ReadContext): Promise<TransactionStatus>;
  tip(): Promise<Tip>;
}

/** Validates transactions that the pool does not know, before the store is called. */
export class Screening {
  readonly #parts: ScreeningParts;
  /** Calls made at the same time share one read of the tip. */
  #tip: Promise<Tip> | null = null;

  constructor(parts: ScreeningParts) {
    this.#parts = parts;
  }

  /** True if no validation is needed, because the submission has a verdict or the pool has no `validate`. */
  passes(submission: OwnSubmission): boolean {
    return this.#parts.application === null || submission.verdict !== null;
  }

  async screen(submission: OwnSubmission, height: number | undefined, context: WriteContext): Promise<Screened> {
    const { application, ordering, status } = this.#parts;
    if (application === null || this.passes(submission)) return { kind: 'admitted', submission };
    const { hash } = submission;
    const { stage } = await status(hash, { signal: context.signal });
    if (stage !== 'Unknown' && stage !== 'Dropped') {
      // Call the store only if it must note the peer, or may have recorded another outcome. A fifo pool
      // notes no peers, and has no verdict that keeps out what has just left it.
      const notes = submission.from !== null && ordering === 'priority';
      if (notes || context.operationId !== undefined) return this.known(submission);
      return { kind: 'answered', outcome: { kind: 'duplicate', hash, stage } };
    }
    const { point, tick } = await this.#currentTip(context.signal);
    const at = { height: height ?? tick, signal: context.signal };
    const judgement = await application.judgeNew(submission, point?.hash ?? null, at);
    if ('refusal' in judgement) return { kind: 'answered', outcome: refused(hash, judgement.refusal) };
    const admitted = { ...submission, verdict: judgement.verdict };
    // A fifo pool keeps no verdict, so no height of one.
    return { kind: 'admitted', submission: admitted, height: ordering === 'fifo' ? height : at.height };
  }

  /** Reads the tip before the validation, because the verdict does not hold for a block that arrives meanwhile. */
  #currentTip(signal: AbortSignal | undefined): Promise<Tip> {
    this.#tip ??= this.#parts.tip().finally(() => {
      this.#tip = null;
    });
    return unlessAborted(this.#tip, signal);
  }

  /**
   * In a priority pool, adds a verdict that the pool never admits. Otherwise a transaction that has just left the pool
   * would return without validation, and so would one that repeats an operation id, if the id is forgotten meanwhile.
   */
  known(submission: OwnSubmission): Extract<Screened, { kind: 'known' }> {
    const verdict = this.#parts.ordering === 'priority' ? ofNoUse(submission) : null;
    return { kind: 'known', submission: { ...submission, verdict } };
  }
}

/** A verdict that makes the transaction depend on itself. The pool detects a duplicate before it detects the cycle. */
function ofNoUse({ hash }: Transaction): CheckedVerdict {
  const tag = `known:${hash}`;
  return { ...defaultVerdict, provides: [tag], requires: [tag], propagate: false };
}

/** True if a known transaction had left the pool when the store was called. */
export function isGone(screened: Screened | undefined, outcome: ReceiveOutcome): boolean {
  return screened?.kind === 'known' && outcome.kind === 'cycle';
}

/** The lowest height at which any of them was validated; `undefined` if none is known. */
export function judgedHeight(screened: readonly Screened[]): number | undefined {
  const heights = screened.flatMap((one) => (one.kind === 'admitted' && one.height !== undefined ? [one.height] : []));
  return heights.length === 0 ? undefined : Math.min(...heights);
}

function refused(hash: string, { code, log, penalize, data, info, codespace }: Refusal): Refused {
  return { kind: 'refused', hash, code, log, penalize, data: data && Uint8Array.from(data), info, codespace };
}

/**
 * The submissions that the first call with this operation id sent. The store's error lists their hashes. They may
 * differ now, because the application may refuse other transactions by now (X2).
 * @throws the given error, if it lists no hashes, or hashes of other transactions
 */
export function firstSent(submissions: readonly OwnSubmission[], error: unknown): OwnSubmission[] {
  const hashes = isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? error.details.hashes : undefined;
  if (hashes === undefined) throw error;
  const byHash = Map.groupBy(submissions, ({ hash }) => hash);
  return hashes.map((hash) => {
    const submission = byHash.get(hash)?.shift();
    if (submission === undefined) throw error;
    return submission;
  });
}

/**
 * The outcome of each transaction of a call, matched by hash. If the call repeats an operation id, the outcomes are
 * those of the first call. The application may have refused others then, so the recorded outcome counts (X2).
 */
export function screenedOutcomes(
  transactions: readonly Transaction[],
  screened: readonly Screened[],
  outcomes: readonly ReceiveOutcome[],
): ReceiveOutcome[] {
  const byHash = Map.groupBy(outcomes, ({ hash }) => hash);
  const next = (hash: string): ReceiveOutcome | undefined => byHash.get(hash)?.shift();
  // If several transactions have one hash, the first outcomes belong to those that were sent.
  const sent = transactions.map(({ hash }, i) => (screened[i]?.kind === 'answered' ? undefined : next(hash)));
  return transactions.map(({ hash }, i) => {
    const answer = screened[i];
    const told = answer?.kind === 'answered' ? answer.outcome : refused(hash, refusedBefore);
    return sent[i] ?? next(hash) ?? told;
  });
}
