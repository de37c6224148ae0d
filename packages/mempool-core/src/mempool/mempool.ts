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
 * A pool for one transaction at a time, on any store: calls made in one turn of the event loop become one store call (O6).
 * Calls about one hash, and submissions among themselves, take effect in the order made (M2); whole-pool writes (`receive`,
 * lists of hashes, `take`, `confirm` and so on) come after every call made before them. Reads of pages and counts go straight to
 * the store and see what has been answered.
 *
 * @throws as `MempoolStore`, and `ERR_MEMPOOL_BUSY` where `maxQueued` calls wait already
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

  /** Takes the store over: closing the pool closes it. */
  constructor(on: store.MempoolStore, options: MempoolOptions = {}) {
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
   * Takes one transaction in (L1, L2), after the application's check where there is one. The payload is copied (M1). A verdict
   * that comes with it stands for the check.
   */
  async submit(submission: verbs.Submission, options?: SubmitOptions): Promise<SubmitOutcome> {
    this.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const own = ownSubmission(readSubmission(submission), from, this.#options.maxTxBytes);
    return own.kind === 'too-large' ? own : this.#submit(own.submission, moment, context);
  }

  /** What became of one transaction (O3). */
  async status(hash: string, options?: ReadOptions): Promise<TransactionStatus> {
    return this.#single(this.#status, hash, checkRead(options));
  }

  /**
   * Takes in at most 1,000 transactions in one step; those the application refuses stay out, and those that are too
   * large.
   */
  async receive(submissions: readonly verbs.Submission[], options?: SubmitOptions): Promise<SubmitOutcome[]> {
    this.assertOpen();
    const { context, moment, from } = this.#submitting(options);
    const { maxTxBytes } = this.#options;
    const read = readSubmissions(submissions);
    const told = await this.#receiveAll(ownSubmissions(read, from, maxTxBytes), moment, context);
    return told.length === read.length ? told : withTooLarge(read, told, maxTxBytes);
  }

  /** Pending → Propagated (L3). For one hash: whether it moved; for a list: the hashes moved. */
  markInflight(hash: string, options?: WriteOptions): Promise<boolean>;
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markInflight(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('markInflight', which, options);
  }

  /** Propagated → Acknowledged (L4). For one hash: whether it moved; for a list: the hashes moved. */
  markAcknowledged(hash: string, options?: WriteOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('markAcknowledged', which, options);
  }

  /**
   * Propagated or Acknowledged → Pending at its place (L4). For one hash: whether it moved; for a list: the hashes
   * moved.
   */
  release(hash: string, options?: WriteOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#move('release', which, options);
  }

  /**
   * Any live stage but Confirmed → Dropped (L10). For one hash: whether it was dropped; for a list: the hashes dropped.
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

  /** Applies one block (L5, L6, X3, X6). */
  async confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    const context = checkChainWrite(options);
    const thresholds = checkPolicy(policy);
    const { point, parent, seen, unseen, provides } = checkBlock(block, thresholds, defaultThresholds);
    const own = { point, parent: parent ?? undefined, seen, unseen, provides };
    return this.#whole((on, to) => on.confirm(own, thresholds, to), context);
  }

  /** Moves the tip back to a point applied earlier; `null` undoes all that is kept (L9, X6). */
  async rollback(point: ChainPoint | null, options?: ChainOptions): Promise<store.RollbackOutcome> {
    const context = checkChainWrite(options);
    const own = point === null ? null : checkPoint('point', point);
    return this.#whole((on, to) => on.rollback(own, to), context);
  }

  /** What `reap` gives, marked in flight under a lease in the same step. */
  async take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Claim> {
    const context = checkWrite(options, callNames.take);
    const claim = { ...checkTake(options), ...this.#at(options) };
    const room = checkBudget(budget);
    return this.#whole((on, to) => on.take(room, { ...to, ...claim }), context);
  }

  /** Ends leases, and drops what waited too long or is over the limits. */
  async sweep(options?: verbs.SweepOptions): Promise<verbs.Sweep> {
    const context = checkWrite(options, callNames.moment);
    const moment = this.#at(options);
    return this.#whole((on, to) => on.sweep({ ...to, ...moment }), context);
  }

  /** Applies verdicts that were given again. Priority pools. */
  async revise(revisions: readonly verbs.Revision[], options?: verbs.ReviseOptions): Promise<verbs.ReviseOutcome[]> {
    const context = checkWrite(options, callNames.moment);
    const own = checkRevisions(revisions).map(asRevision);
    const moment = this.#at(options);
    const outcomes = await this.#whole((on, to) => on.revise(own, { ...to, ...moment }), context);
    // What it made ready has no event.
    this.wake();
    return outcomes;
  }

  /**
   * Asks the application again about every Pending transaction that was checked below the height, and applies what it says.
   * Others have their turn between the slices; what leaves the pool or is checked by others meanwhile is left alone. Priority pools.
   *
   * @throws what the application throws, the signal's reason: what was applied until then stays
   */
  async recheck(options?: RecheckOptions): Promise<Recheck> {
    this.assertOpen();
    const { signal } = checkRead(options, callNames.recheck);
    if (this.#application === null) throw invalid('validate', 'given to the pool: a recheck asks it');
    const slice = options?.slice ?? 100;
    if (!Number.isSafeInteger(slice) || slice < 1 || slice > maxCallTransactions)
      throw invalid('slice', `a whole number of 1–${maxCallTransactions}`);
    const height = checkCount('height', this.#at(options).height ?? Number.NaN);
    return new Rechecker({ pool: this, application: this.#application, height, slice, signal }).run();
  }

  /** Every Pending transaction → Dropped. Returns how many. */
  async flush(options?: WriteOptions): Promise<number> {
    return this.#whole((on, to) => on.flush(to), checkWrite(options));
  }

  /** Sets the limits that are named, for every node; returns all of them. */
  async setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    const context = checkWrite(options);
    const own = checkLimits(limits);
    return this.#whole((on, to) => on.setLimits(own, to), context);
  }

  /**
   * Sends what was accepted, closes the store, ends the streams, and tells those who still wait. Twice is fine (R2).
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
    // Its operation id, where there is one, has been used by the call that found it gone.
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

  /** Of a context that was checked. */
  async #whole<Answer>(
    run: (on: store.MempoolStore, to: ChainOptions) => Promise<Answer>,
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

  /** The moment that the options tell, with the height that the pool is told where they have none. */
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
