import { unlessAborted } from '../boundary/unless-aborted.ts';
import type { WriteOptions } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Ordering } from '../contract/limits.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction, TransactionStatus } from '../contract/transaction.ts';
import type { Refusal, Verdict } from '../contract/verdict.ts';
import type { Application } from './application.ts';
import { refusedBefore } from './standard-refusals.ts';
import type { Refused, SubmitOutcome } from './validation.ts';

/** What is to be done with a transaction that somebody submitted. */
export type Screened =
  /** Nothing: this is the answer. */
  | { readonly kind: 'answered'; readonly outcome: SubmitOutcome }
  | {
      readonly kind: 'admitted';
      readonly submission: Submission;
      /** The height that it was judged at, where that is known. */
      readonly height?: number | undefined;
    }
  /**
   * The pool had it a moment ago. Where it is gone, `isGone` tells by the outcome: then it has to be screened again.
   */
  | { readonly kind: 'known'; readonly submission: Submission };

export interface ScreeningParts {
  /** `null`: all are taken. */
  readonly application: Application | null;
  readonly ordering: Ordering;
  status(hash: string, options: WriteOptions): Promise<TransactionStatus>;
  /** How many blocks the pool has applied. */
  tick(): Promise<number>;
}

/** Asks the application about what the pool does not know, before the store is asked. */
export class Screening {
  readonly #parts: ScreeningParts;
  /** All who ask at the same time share one answer. */
  #tick: Promise<number> | null = null;

  constructor(parts: ScreeningParts) {
    this.#parts = parts;
  }

  /** Whether nobody is to be asked about it: it comes with a verdict, or the application takes all. */
  passes(submission: Submission): boolean {
    return this.#parts.application === null || submission.verdict !== undefined;
  }

  async screen(submission: Submission, height: number | undefined, context: WriteOptions): Promise<Screened> {
    const { application, status } = this.#parts;
    if (application === null || this.passes(submission)) return { kind: 'admitted', submission };
    const { hash } = submission;
    const { stage } = await status(hash, { signal: context.signal });
    if (stage !== 'Unknown' && stage !== 'Dropped') {
      // The store is to be asked only where it has to note the peer, or may have recorded another answer.
      if (submission.from !== undefined || context.operationId !== undefined) return this.#known(submission);
      return { kind: 'answered', outcome: { kind: 'duplicate', hash, stage } };
    }
    const at = height ?? (await this.#heightOf(context.signal));
    const judgement = await application.judgeNew(submission, { height: at, signal: context.signal });
    if ('refusal' in judgement) return { kind: 'answered', outcome: refused(hash, judgement.refusal) };
    return { kind: 'admitted', submission: { ...submission, verdict: judgement.verdict }, height: at };
  }

  /**
   * Before it is judged: a block may come meanwhile, for which the verdict does not stand. Pools in order of arrival
   * keep no verdict.
   */
  async #heightOf(signal: AbortSignal | undefined): Promise<number | undefined> {
    if (this.#parts.ordering === 'fifo') return undefined;
    this.#tick ??= this.#parts.tick().finally(() => {
      this.#tick = null;
    });
    return unlessAborted(this.#tick, signal);
  }

  /** A priority pool is handed a verdict that it never takes in, lest what has just left it comes back unchecked. */
  #known(submission: Submission): Screened {
    const verdict = this.#parts.ordering === 'priority' ? ofNoUse(submission) : undefined;
    return { kind: 'known', submission: { ...submission, verdict } };
  }
}

/** It would have to come before itself; a duplicate is found before that is looked at. */
function ofNoUse({ hash }: Transaction): Verdict {
  const tag = `known:${hash}`;
  return { provides: [tag], requires: [tag], propagate: false };
}

/** Whether what was known had left the pool when the store was asked. */
export function isGone(screened: Screened | undefined, outcome: SubmitOutcome): boolean {
  return screened?.kind === 'known' && outcome.kind === 'cycle';
}

/** The height that all of them were judged at, or later. */
export function judgedHeight(screened: readonly Screened[]): number | undefined {
  const heights = screened.flatMap((one) => (one.kind === 'admitted' && one.height !== undefined ? [one.height] : []));
  return heights.length === 0 ? undefined : Math.min(...heights);
}

function refused(hash: string, { code, log, penalize, data, info, codespace }: Refusal): Refused {
  return { kind: 'refused', hash, code, log, penalize, data: data && Uint8Array.from(data), info, codespace };
}

/**
 * What the first call under an operation id sent of these, which the error of a store that was sent others tells: the
 * application may refuse others by now (X2).
 *
 * @throws the error, where it is another one, or the first call was about other transactions
 */
export function firstSent(submissions: readonly Submission[], error: unknown): Submission[] {
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
 * The answer to each transaction of a call, by hash. Where the call repeats an operation id, the outcomes are those of the
 * first call, and the application may have refused others then: what the store recorded counts (X2).
 */
export function screenedOutcomes(
  transactions: readonly Transaction[],
  screened: readonly Screened[],
  outcomes: readonly ReceiveOutcome[],
): SubmitOutcome[] {
  const byHash = Map.groupBy(outcomes, ({ hash }) => hash);
  const next = (hash: string): ReceiveOutcome | undefined => byHash.get(hash)?.shift();
  // Of several with one hash, those that were not answered before were sent: theirs are the first.
  const sent = transactions.map(({ hash }, i) => (screened[i]?.kind === 'answered' ? undefined : next(hash)));
  return transactions.map(({ hash }, i) => {
    const answer = screened[i];
    const told = answer?.kind === 'answered' ? answer.outcome : refused(hash, refusedBefore);
    return sent[i] ?? next(hash) ?? told;
  });
}
