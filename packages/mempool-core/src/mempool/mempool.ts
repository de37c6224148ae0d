import {
  checkBlock,
  checkChainWrite,
  checkHash,
  checkHashes,
  checkPoint,
  checkPolicy,
  checkRead,
  checkReason,
  checkWrite,
  maxCallTransactions,
} from '../boundary/arguments.ts';
import { checkCount } from '../boundary/basic-checks.ts';
import { checkLimits } from '../boundary/open-options.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkBudget, checkCallTime, checkRevisions, checkTake } from '../boundary/pool-arguments.ts';
import { readSubmission, readSubmissions, withTooLarge } from '../boundary/submissions.ts';
import { checkName } from '../boundary/verdicts.ts';
import type { ChainContext, ChainOptions, ReadOptions, WriteContext, WriteOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import { defaultThresholds, type MoveVerb } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedCallTime } from '../contract/pool-driver.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { ChainPoint, TransactionStatus } from '../contract/transaction.ts';
import { Application } from './application.ts';
import {
  type BatchedVerb,
  batchedDrop,
  batchedMove,
  batchedReceive,
  batchedStatus,
  type QueuedSubmission,
} from './call-list.ts';
import { Coalescer } from './coalescer.ts';
import { InvalidHashes } from './invalid-hashes.ts';
import { type MempoolOptions, type ResolvedMempoolOptions, resolveMempoolOptions } from './mempool-options.ts';
import { MempoolReader } from './mempool-reader.ts';
import { asRevision, ownSubmission, ownSubmissions, weight } from './own-submission.ts';
import { type Recheck, Rechecker, type RecheckOptions } from './recheck.ts';
import { firstSent, isGone, judgedHeight, Screening, screenedOutcomes } from './screening.ts';
import { Sweeper } from './sweeper.ts';
import type { SubmitOptions, SubmitOutcome } from './validation.ts';

/**
 * A pool on any store, for callers that handle one transaction at a time. Calls made in one turn of the event loop
 * become one store call (O6). Calls for one hash take effect in the order made, and so do submissions (M2). Whole-pool
 * writes (`receive`, lists of hashes, `take`, `confirm` and so on) run after every call made before them. Reads of
 * pages and counts go straight to the store and see every write that was answered.
 * @throws as `MempoolStore`; `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already
 */
export class Mempool extends MempoolReader implements AsyncDisposable {
  readonly #coalescer: Coalescer;
  readonly #options: ResolvedMempoolOptions;
  readonly #application: Application | null;
  readonly #screening: Screening;
  readonly #sweeper: Sweeper | null;
  readonly #receive: BatchedVerb<QueuedSubmission, store.ReceiveOutcome>;
  readonly #status: BatchedVerb<string, TransactionStatus>;
  readonly #moves: Readonly<Record<MoveVerb, BatchedVerb<string, boolean>>>;
  #closing: Promise<void> | null = null;

  /** Uses the store from now on. Closing the pool closes the store. @throws `ERR_MEMPOOL_INVALID` naming the option */
  constructor(on: store.AnyStore, options: MempoolOptions = {}) {
    super(on);
    const resolved = resolveMempoolOptions(options);
    const { validate, sweepEveryMs: everyMs, schedule, log } = resolved;
    this.#options = resolved;
    this.#coalescer = new Coalescer(resolved);
    this.#receive = batchedReceive(on);
    this.#status = batchedStatus(on);
    this.#moves = {
      markInflight: batchedMove(on, 'markInflight'),
      markAcknowledged: batchedMove(on, 'markAcknowledged'),
      release: batchedMove(on, 'release'),
    };
    this.#application = validate === null ? null : new Application(validate, new InvalidHashes(resolved));
    this.#screening = new Screening({
      application: this.#application,
      ordering: on.ordering,
      status: (hash, to) => this.status(hash, to),
      tick: async () => (await on.tip()).tick,
    });
    this.#sweeper = everyMs === null ? null : new Sweeper({ sweep: () => this.sweep(), everyMs, schedule, log });
  }

  /**
   * Adds one transaction to the pool (L1, L2), after `validate` has accepted it. The payload is copied (M1). A
   * submission that has a verdict is not validated. Returns the outcome, also for a refusal.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const { kind } = await pool.submit({ hash, payload, payloadType: 0 });
   */
  async submit(submission: verbs.Submission, options?: SubmitOptions): Promise<SubmitOutcome> {
    this.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const own = ownSubmission(readSubmission(submission), from, this.#options.maxTxBytes);
    return own.kind === 'too-large' ? own : this.#submit(own.submission, moment, context);
  }

  /**
   * Returns the status of one transaction (O3).
   * @example const { stage, confirmations } = await pool.status(hash);
   */
  async status(hash: string, options?: ReadOptions): Promise<TransactionStatus> {
    return this.#single(this.#status, hash, checkRead(options));
  }

  /**
   * Adds at most 1,000 transactions in one step. Transactions that `validate` refuses or that are too large stay out.
   * Returns one outcome for each transaction, in the order given.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const outcomes = await pool.receive(transactions, { from: peerId });
   */
  async receive(submissions: readonly verbs.Submission[], options?: SubmitOptions): Promise<SubmitOutcome[]> {
    this.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const { maxTxBytes } = this.#options;
    const read = readSubmissions(submissions);
    const told = await this.#receiveAll(ownSubmissions(read, from, maxTxBytes), moment, context);
    return told.length === read.length ? told : withTooLarge(read, told, maxTxBytes);
  }

  /**
   * Pending → Propagated (L3). For one hash it returns true if it moved; for a list, the hashes that moved.
   * @example await pool.markInflight(hash);
   */
  markInflight(hash: string, options?: WriteOptions): Promise<boolean>;
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markInflight(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('markInflight', which, options);
  }

  /** Propagated → Acknowledged (L4). For one hash it returns true if it moved; for a list, the hashes that moved. */
  markAcknowledged(hash: string, options?: WriteOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('markAcknowledged', which, options);
  }

  /**
   * Propagated or Acknowledged → Pending at its old position (L4). For one hash it returns true if it moved; for a
   * list, the hashes that moved.
   */
  release(hash: string, options?: WriteOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('release', which, options);
  }

  /**
   * Any live stage but Confirmed → Dropped (L10). For one hash it returns true if it was dropped; for a list, the
   * hashes.
   */
  drop(hash: string, reason: string, options?: WriteOptions): Promise<boolean>;
  drop(hashes: readonly string[], reason: string, options?: WriteOptions): Promise<string[]>;
  async drop(which: string | readonly string[], reason: string, options?: WriteOptions): Promise<boolean | string[]> {
    const context = checkWrite(options);
    checkReason(reason);
    if (typeof which === 'string') return this.#single(batchedDrop(this.store, reason), which, context);
    const hashes = checkHashes('hashes', which, maxCallTransactions);
    return this.#whole((on, to) => on.drop(hashes, reason, to), context);
  }

  /**
   * Applies one block (L5, L6, X3, X6).
   * @example await pool.confirm({ point: { slot, hash: blockHash }, parent, seen: hashes, unseen: [] });
   */
  async confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    const context = checkChainWrite(options);
    const thresholds = checkPolicy(policy);
    const { point, parent, seen, unseen, provides } = checkBlock(block, thresholds, defaultThresholds);
    const own = { point, parent: parent ?? undefined, seen, unseen, provides };
    return this.#whole((on, to) => on.confirm(own, thresholds, to), context);
  }

  /** Moves the tip back to a point applied earlier. `null` undoes all blocks that are kept (L9, X6). */
  async rollback(point: ChainPoint | null, options?: ChainOptions): Promise<store.RollbackOutcome> {
    const context = checkChainWrite(options);
    const own = point === null ? null : checkPoint('point', point);
    return this.#whole((on, to) => on.rollback(own, to), context);
  }

  /**
   * Selects as `reap` does and moves the result to Propagated, claimed by one owner, in the same step.
   * @example const claim = await pool.take({ maxTxs: 100 }, { owner: 'worker-1', claimMs: 30_000 });
   */
  async take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Claim> {
    const context = checkWrite(options, callNames.take);
    const claim = { ...checkTake(options), ...this.#at(options) };
    const room = checkBudget(budget);
    return this.#whole((on, to) => on.take(room, { ...to, ...claim }), context);
  }

  /** Ends claims that are over. Drops transactions that waited too long or are over the limits. */
  async sweep(options?: verbs.SweepOptions): Promise<verbs.Sweep> {
    const context = checkWrite(options, callNames.moment);
    const moment = this.#at(options);
    return this.#whole((on, to) => on.sweep({ ...to, ...moment }), context);
  }

  /** Applies new verdicts. Priority pools only. */
  async revise(revisions: readonly verbs.Revision[], options?: verbs.ReviseOptions): Promise<verbs.ReviseOutcome[]> {
    const context = checkWrite(options, callNames.moment);
    const own = checkRevisions(revisions).map(asRevision);
    const moment = this.#at(options);
    const outcomes = await this.#whole((on, to) => on.revise(own, { ...to, ...moment }), context);
    // A revision that makes a transaction ready writes no event.
    this.wake();
    return outcomes;
  }

  /**
   * Validates again every Pending transaction whose verdict was given below the height, and applies the answers. It
   * works in slices, so that other calls get their turn. A transaction that leaves the pool or gets a newer verdict
   * meanwhile is left alone. Priority pools only.
   * @throws `ERR_MEMPOOL_INVALID` without `validate` or for a wrong option; any error of `validate`; the signal's
   * reason. Revisions that were applied before stay.
   */
  async recheck(options?: RecheckOptions): Promise<Recheck> {
    this.assertOpen();
    const { signal } = checkRead(options, callNames.recheck);
    if (this.#application === null) throw invalid('validate', 'given to the pool: recheck calls it');
    const slice = options?.slice ?? 100;
    if (!Number.isSafeInteger(slice) || slice < 1 || slice > maxCallTransactions)
      throw invalid('slice', `a whole number from 1 to ${maxCallTransactions}`);
    const height = checkCount('height', this.#at(options).height ?? Number.NaN);
    return new Rechecker({ pool: this, application: this.#application, height, slice, signal }).run();
  }

  /** Every Pending transaction → Dropped. Returns their number. */
  async flush(options?: WriteOptions): Promise<number> {
    return this.#whole((on, to) => on.flush(to), checkWrite(options));
  }

  /** Sets the limits that are given, for every node. Returns all limits. */
  async setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    const context = checkWrite(options);
    const own = checkLimits(limits);
    return this.#whole((on, to) => on.setLimits(own, to), context);
  }

  /**
   * Sends all accepted calls, closes the store, ends the streams and rejects the waits that are left. A second call is
   * harmless (R2).
   * @example await pool.close();
   */
  close(): Promise<void> {
    this.#sweeper?.stop();
    this.#closing ??= this.end(this.#coalescer.close());
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #submit(own: verbs.Submission, moment: CheckedCallTime, context: WriteOptions): Promise<SubmitOutcome> {
    if (this.#screening.passes(own)) return this.#send(own, moment, context);
    const screened = await this.#screening.screen(own, moment.height ?? undefined, context);
    if (screened.kind === 'answered') return screened.outcome;
    const judged = { ...moment, height: moment.height ?? judgedHeight([screened]) ?? null };
    const outcome = await this.#send(screened.submission, judged, context);
    // The first attempt has used up the operation id, if there is one.
    return isGone(screened, outcome) ? this.#submit(own, moment, { signal: context.signal }) : outcome;
  }

  #send(own: verbs.Submission, moment: CheckedCallTime, context: WriteOptions): Promise<store.ReceiveOutcome> {
    const subject = { item: { ...own, ...moment }, hash: own.hash, bytes: weight(own) };
    return this.#coalescer.call(this.#receive, subject, context);
  }

  async #receiveAll(
    own: readonly verbs.Submission[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Promise<SubmitOutcome[]> {
    const [now, given] = [moment.now ?? undefined, moment.height ?? undefined];
    const send = (submissions: readonly verbs.Submission[], height = given): Promise<store.ReceiveOutcome[]> =>
      this.#whole((on, to) => on.receive(submissions, { ...to, now, height }), context);
    if (own.every((each) => this.#screening.passes(each))) return send(own);
    const screened = await Promise.all(own.map((each) => this.#screening.screen(each, given, context)));
    const sent = screened.flatMap((each) => (each.kind === 'answered' ? [] : each.submission));
    const height = given ?? judgedHeight(screened);
    const outcomes = await send(sent, height).catch((error: unknown) => send(firstSent(own, error), height));
    const again = { signal: context.signal };
    const told = screenedOutcomes(own, screened, outcomes).map((outcome, i) =>
      isGone(screened[i], outcome) ? this.#submit(own[i] as verbs.Submission, moment, again) : outcome,
    );
    return Promise.all(told);
  }

  async #move(
    verb: MoveVerb,
    which: string | readonly string[],
    options: WriteOptions | undefined,
  ): Promise<boolean | string[]> {
    const context = checkWrite(options);
    if (typeof which === 'string') return this.#single(this.#moves[verb], which, context);
    const hashes = checkHashes('hashes', which, maxCallTransactions);
    return this.#whole((on, to) => on[verb](hashes, to), context);
  }

  async #single<Answer>(verb: BatchedVerb<string, Answer>, hash: string, context: WriteOptions): Promise<Answer> {
    checkHash('hash', hash);
    return this.#coalescer.call(verb, { item: hash, hash, bytes: 0 }, context);
  }

  /** Runs a whole-pool call. The context is already checked. */
  async #whole<Answer>(
    run: (on: store.AnyStore, to: ChainOptions) => Promise<Answer>,
    context: WriteContext | ChainContext,
  ): Promise<Answer> {
    const { operationId, signal } = context;
    const to = { operationId, signal, lease: 'lease' in context ? (context.lease ?? undefined) : undefined };
    return this.#coalescer.whole(() => run(this.store, to), signal);
  }

  #submitting(options: SubmitOptions | undefined): Submitting {
    const context = checkWrite(options, callNames.submit);
    const from = options?.from;
    if (from !== undefined) checkName('from', from, 1);
    return { context, moment: checkCallTime(this.#at(options)), from };
  }

  /** The time of a call. If the options have no height, the `height` option of the pool gives it. */
  #at(options: verbs.CallTime | undefined): verbs.CallTime {
    const { now, height } = options ?? {};
    return { now, height: height ?? this.#options.height?.() };
  }
}

interface Submitting {
  readonly context: WriteContext;
  readonly moment: CheckedCallTime;
  readonly from: string | undefined;
}
