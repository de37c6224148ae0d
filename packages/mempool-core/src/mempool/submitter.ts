import { checkWrite } from '../boundary/arguments.ts';
import { transactionsPart, withDigest } from '../boundary/operation-digest.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkCallTime } from '../boundary/pool-arguments.ts';
import {
  checkFifoSubmissions,
  checkTransaction,
  checkTransactions,
  type OwnSubmission,
  readSubmission,
  readSubmissions,
} from '../boundary/submissions.ts';
import { checkName } from '../boundary/verdicts.ts';
import type { Awaitable, WriteContext } from '../contract/call-options.ts';
import type { CheckedCallTime, CheckedSubmission } from '../contract/pool-driver.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { SubmitOptions } from '../contract/validation.ts';
import { defaultVerdict } from '../contract/verdict.ts';
import type { Batched, CallTrace } from './batches.ts';
import type { PoolCalls } from './pool-calls.ts';
import { firstSent, isGone, judgedHeight, Screening, type ScreeningParts, screenedOutcomes } from './screening.ts';

export interface SubmitterParts extends Omit<ScreeningParts, 'ordering'> {
  readonly calls: PoolCalls;
}

type Trace = CallTrace | null;

/** Checks and copies submissions, validates them, and sends those that the application accepts. */
export class Submitter {
  readonly #calls: PoolCalls;
  readonly #screening: Screening;

  constructor({ calls, ...parts }: SubmitterParts) {
    this.#calls = calls;
    this.#screening = new Screening({ ...parts, ordering: calls.opened.ordering });
  }

  async submit(submission: Submission, options: SubmitOptions | undefined, trace: Trace): Promise<ReceiveOutcome> {
    this.#calls.assertOpen();
    const { context, moment, from } = submitting(this.#calls.timed(options));
    const read = readSubmission(submission, from);
    checkTransaction(read);
    const { maxTxBytes } = this.#calls.opened;
    if (read.payload.length > maxTxBytes) return { kind: 'too-large', hash: read.hash, maxTxBytes };
    return this.#submit(copied(read), moment, context, trace);
  }

  async receive(
    submissions: readonly Submission[],
    options: SubmitOptions | undefined,
    trace: Trace,
  ): Promise<ReceiveOutcome[]> {
    const timed = this.#calls.timed(options);
    let signal: AbortSignal | undefined;
    try {
      const call = submitting(timed);
      ({ signal } = call.context);
      this.#calls.assertOpen(signal);
      return this.#receive(submissions, call, trace);
    } catch (error) {
      return this.#calls.refusal(error, signal);
    }
  }

  #receive(
    submissions: readonly Submission[],
    { context, moment, from }: Submitting,
    trace: Trace,
  ): Promise<ReceiveOutcome[]> {
    const { maxTxBytes } = this.#calls.opened;
    const read = readSubmissions(submissions, from);
    const passes = read.every((each) => this.#screening.passes(each));
    if (passes) this.#checkOrdering(read);
    checkTransactions(read);
    if (trace !== null) trace.size = read.length;
    const fits = ({ payload }: Transaction): boolean => payload.length <= maxTxBytes;
    const fitting = read.every(fits) ? read : read.filter(fits);
    const own = passes && this.#calls.driver.copiesPayloads ? fitting : fitting.map(copied);
    const answer = passes ? this.#sendNow(own, moment, context) : this.#receiveScreened(own, moment, context);
    return fitting === read ? answer : answer.then((outcomes) => withTooLarge(read, outcomes, maxTxBytes));
  }

  async #submit(
    own: OwnSubmission,
    moment: CheckedCallTime,
    context: WriteContext,
    trace: Trace,
  ): Promise<ReceiveOutcome> {
    if (this.#screening.passes(own)) return this.#sendOne(own, moment, context, trace);
    const screened = await this.#screening.screen(own, moment.height ?? undefined, context);
    if (screened.kind === 'answered') return (await this.#recorded([own], context))?.[0] ?? screened.outcome;
    const height = moment.height ?? judgedHeight([screened]) ?? null;
    const outcome = await this.#sendOne(screened.submission, { ...moment, height }, context, trace);
    // The first attempt has used up the operation id, if there is one.
    return isGone(screened, outcome) ? this.#submit(own, moment, again(context), trace) : outcome;
  }

  /**
   * X2: the recorded outcomes of the call with these transactions, which count whatever the application says by now; `null` if
   * its operation id is not known.
   */
  async #recorded(own: readonly OwnSubmission[], context: WriteContext): Promise<ReceiveOutcome[] | null> {
    if (context.operationId === undefined) return null;
    this.#calls.flush();
    const outcomes = await this.#send([], own, checkCallTime(undefined), context);
    return outcomes.length === 0 ? null : outcomes;
  }

  /** The order of arrival shows (L1), so submissions wait in one order, although those with other call times cannot share. */
  async #sendOne(
    own: OwnSubmission,
    moment: CheckedCallTime,
    context: WriteContext,
    trace: Trace,
  ): Promise<ReceiveOutcome> {
    this.#checkOrdering([own]);
    const batched: Batched<OwnSubmission, ReceiveOutcome> = {
      name: `receive ${moment.now} ${moment.height}`,
      kind: 'write',
      isOrdered: true,
      send: (all, to) => this.#send(all, all, moment, to),
    };
    return this.#calls.single(batched, { item: own, hash: own.hash, bytes: weight(own), trace }, context);
  }

  async #receiveScreened(
    own: readonly OwnSubmission[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Promise<ReceiveOutcome[]> {
    const given = moment.height ?? undefined;
    const screened = await Promise.all(own.map((each) => this.#screening.screen(each, given, context)));
    const sent = screened.flatMap((each) => (each.kind === 'answered' ? [] : each.submission));
    this.#checkOrdering(sent);
    const height = given ?? judgedHeight(screened) ?? null;
    const send = (): Promise<ReceiveOutcome[]> => this.#sendNow(sent, { ...moment, height }, context);
    const outcomes = await send().catch(
      async (error: unknown) => (await this.#recorded(firstSent(own, error), context)) ?? send(),
    );
    const all = screenedOutcomes(own, screened, outcomes).map((outcome, i) =>
      isGone(screened[i], outcome) ? this.#submit(own[i] as OwnSubmission, moment, again(context), null) : outcome,
    );
    return Promise.all(all);
  }

  /** Takes effect after every call made before it. */
  #sendNow(own: readonly OwnSubmission[], moment: CheckedCallTime, context: WriteContext): Promise<ReceiveOutcome[]> {
    this.#calls.flush();
    return this.#send(own, own, moment, context);
  }

  /** `named`: the transactions of the call that has this operation id. An id that was used for others is refused (X2). */
  #send(
    own: readonly OwnSubmission[],
    named: readonly Transaction[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Promise<ReceiveOutcome[]> {
    const { driver, opened } = this.#calls;
    const run = (): Awaitable<ReceiveOutcome[]> => {
      if (own.length === 0 && context.operationId === undefined) return [];
      const bound = withDigest(context, 'receive', () => [transactionsPart(named)]);
      return opened.ordering === 'priority'
        ? this.#calls.verb('admit')(own.map(withVerdict), moment, bound)
        : driver.receive(own, bound);
    };
    return this.#calls.changing(() => context, run);
  }

  #checkOrdering(own: readonly OwnSubmission[]): void {
    if (this.#calls.opened.ordering === 'fifo') checkFifoSubmissions(own);
  }
}

interface Submitting {
  readonly context: WriteContext;
  readonly moment: CheckedCallTime;
  readonly from: string | undefined;
}

function submitting(options: SubmitOptions | undefined): Submitting {
  const context = checkWrite(options, callNames.submit);
  const from = options?.from;
  if (from !== undefined) checkName('from', from, 1);
  return { context, moment: checkCallTime(options), from };
}

/** With a copy of the payload, so that the caller may reuse its buffer (M1). */
function copied(own: OwnSubmission): OwnSubmission {
  return { ...own, payload: Buffer.from(own.payload) };
}

function withVerdict(own: OwnSubmission): CheckedSubmission {
  return { ...own, verdict: own.verdict ?? defaultVerdict };
}

/** The context of a second attempt. The first one may have used up the operation id. */
function again({ signal }: WriteContext): WriteContext {
  return { operationId: undefined, signal };
}

/** Returns the size of a submission in a batch, in bytes (O6). Tags count, because they may be larger than the payload. */
function weight({ payload, verdict }: OwnSubmission): number {
  const { provides, requires } = verdict ?? defaultVerdict;
  let bytes = payload.length;
  for (const tag of provides) bytes += tag.length;
  for (const tag of requires) bytes += tag.length;
  return bytes;
}

/** Returns the outcomes of all transactions of a call. `outcomes` are those of the transactions that are not too large. */
function withTooLarge(
  given: readonly Transaction[],
  outcomes: readonly ReceiveOutcome[],
  maxTxBytes: number,
): ReceiveOutcome[] {
  let sent = 0;
  return given.map(({ hash, payload }) => {
    if (payload.length > maxTxBytes) return { kind: 'too-large', hash, maxTxBytes };
    sent += 1;
    return outcomes[sent - 1] as ReceiveOutcome;
  });
}
