import { checkWrite } from '../boundary/arguments.ts';
import { asChecked, askingAbout } from '../boundary/checked-once.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkCallTime } from '../boundary/pool-arguments.ts';
import { checkFifoSubmissions, readSubmission, readSubmissions, withTooLarge } from '../boundary/submissions.ts';
import { checkName } from '../boundary/verdicts.ts';
import type { WriteContext, WriteOptions } from '../contract/call-options.ts';
import type { CheckedCallTime } from '../contract/pool-driver.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { SubmitOptions } from '../contract/validation.ts';
import type { Application } from './application.ts';
import type { Batched, CallTrace } from './batches.ts';
import { type OwnSubmission, ownSubmission, ownSubmissions, weight } from './own-submission.ts';
import { noteSize, type PoolCalls } from './pool-calls.ts';
import { firstSent, isGone, judgedHeight, Screening, type ScreeningParts, screenedOutcomes } from './screening.ts';

export interface SubmitterParts extends Pick<ScreeningParts, 'status'> {
  readonly calls: PoolCalls;
  readonly application: Application | null;
}

type Trace = CallTrace | null;

/** Copies submissions, validates them, and sends those that the application accepts. */
export class Submitter {
  readonly #calls: PoolCalls;
  readonly #screening: Screening;
  readonly #application: Application | null;

  constructor({ calls, application, status }: SubmitterParts) {
    const { store } = calls;
    this.#calls = calls;
    this.#application = application;
    this.#screening = new Screening({ application, ordering: store.ordering, status, tip: async () => store.tip() });
  }

  async submit(submission: Submission, options: SubmitOptions | undefined, trace: Trace): Promise<ReceiveOutcome> {
    this.#calls.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const own = ownSubmission(readSubmission(submission), from, this.#calls.options.maxTxBytes);
    return own.kind === 'too-large' ? own : this.#submit(own.submission, moment, context, trace);
  }

  receive(submissions: readonly Submission[], options: SubmitOptions | undefined): Promise<ReceiveOutcome[]> {
    if (this.#application === null && options?.from === undefined)
      return this.#calls.whole('receive', submissions, (on) => on.receive(submissions, this.#calls.timed(options)));
    return this.#calls.observed('receive', (trace) => this.#receiveScreened(submissions, options, trace));
  }

  async #receiveScreened(
    submissions: readonly Submission[],
    options: SubmitOptions | undefined,
    trace: Trace,
  ): Promise<ReceiveOutcome[]> {
    this.#calls.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const { maxTxBytes } = this.#calls.options;
    const read = readSubmissions(submissions);
    noteSize(trace, read.length);
    const told = await this.#receiveAll(ownSubmissions(read, from, maxTxBytes), moment, context);
    return told.length === read.length ? told : withTooLarge(read, told, maxTxBytes);
  }

  async #submit(
    own: OwnSubmission,
    moment: CheckedCallTime,
    context: WriteOptions,
    trace: Trace,
  ): Promise<ReceiveOutcome> {
    if (this.#screening.passes(own)) return this.#send(own, moment, context, trace);
    const screened = await this.#screening.screen(own, moment.height ?? undefined, context);
    if (screened.kind === 'answered') return (await this.#recorded([own], context))?.[0] ?? screened.outcome;
    const judged = { ...moment, height: moment.height ?? judgedHeight([screened]) ?? null };
    const outcome = await this.#send(screened.submission, judged, context, trace);
    // The first attempt has used up the operation id, if there is one.
    return isGone(screened, outcome) ? this.#submit(own, moment, { signal: context.signal }, trace) : outcome;
  }

  /**
   * X2: the recorded outcomes of the call with these transactions, which count whatever the application says by now; `null` if
   * its operation id is not known.
   */
  async #recorded(own: readonly OwnSubmission[], context: WriteOptions): Promise<ReceiveOutcome[] | null> {
    const { operationId, signal } = context;
    if (operationId === undefined) return null;
    const told = await this.#calls.sent((on) => on.receive([], askingAbout(own, { operationId, signal })));
    return told.length === 0 ? null : told;
  }

  /** The order of arrival shows (L1), so submissions wait in one order, although those with other call times cannot share. */
  async #send(
    own: OwnSubmission,
    { now, height }: CheckedCallTime,
    context: WriteOptions,
    trace: Trace,
  ): Promise<ReceiveOutcome> {
    const { store } = this.#calls;
    if (store.ordering === 'fifo') checkFifoSubmissions([{ verdict: undefined, from: undefined, ...own }]);
    const at = { now: now ?? undefined, height: height ?? undefined };
    const batched: Batched<OwnSubmission, ReceiveOutcome> = {
      name: `receive ${now} ${height}`,
      kind: 'write',
      isOrdered: true,
      send: (all, to) => store.receive(asChecked(all), { ...to, ...at }),
    };
    return this.#calls.single(batched, { item: own, hash: own.hash, bytes: weight(own), trace }, context);
  }

  async #receiveAll(
    own: readonly OwnSubmission[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Promise<ReceiveOutcome[]> {
    const [now, given] = [moment.now ?? undefined, moment.height ?? undefined];
    const send = (submissions: readonly OwnSubmission[], height = given): Promise<ReceiveOutcome[]> =>
      this.#calls.sent((on) => on.receive(asChecked(submissions), { ...context, now, height }));
    if (own.every((each) => this.#screening.passes(each))) return send(own);
    const screened = await Promise.all(own.map((each) => this.#screening.screen(each, given, context)));
    const sent = screened.flatMap((each) => (each.kind === 'answered' ? [] : each.submission));
    const height = given ?? judgedHeight(screened);
    const outcomes = await send(sent, height).catch(async (error: unknown) => {
      const first = firstSent(own, error);
      return (await this.#recorded(first, context)) ?? send(sent, height);
    });
    const again = { signal: context.signal };
    const told = screenedOutcomes(own, screened, outcomes).map((outcome, i) =>
      isGone(screened[i], outcome) ? this.#submit(own[i] as OwnSubmission, moment, again, null) : outcome,
    );
    return Promise.all(told);
  }

  #submitting(options: SubmitOptions | undefined): Submitting {
    const context = checkWrite(options, callNames.submit);
    const from = options?.from;
    if (from !== undefined) checkName('from', from, 1);
    return { context, moment: checkCallTime(this.#calls.timed(options)), from };
  }
}

interface Submitting {
  readonly context: WriteContext;
  readonly moment: CheckedCallTime;
  readonly from: string | undefined;
}
