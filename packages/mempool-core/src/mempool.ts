import {
  checkBlock,
  checkChainWrite,
  checkHash,
  checkHashes,
  checkPoint,
  checkReason,
  checkTransaction,
  checkWrite,
  maxCallTransactions,
} from './arguments.ts';
import type { Lane } from './call-list.ts';
import { Coalescer } from './coalescer.ts';
import { checkCount } from './count.ts';
import { invalid } from './errors.ts';
import { type Arrival, dropLane, moveLane, receiveLane, statusLane } from './lanes.ts';
import { defaultThresholds, type MoveVerb } from './lifecycle.ts';
import { type MempoolOptions, type ResolvedMempoolOptions, resolveMempoolOptions } from './mempool-options.ts';
import { MempoolReader } from './mempool-reader.ts';
import { Application } from './priority/application.ts';
import { InvalidHashes } from './priority/invalid-hashes.ts';
import type { Limits } from './priority/limits.ts';
import { ownVerdict } from './priority/own-verdict.ts';
import type * as verbs from './priority/pool-verbs.ts';
import { checkMoment } from './priority/priority-arguments.ts';
import type { CheckedMoment } from './priority/priority-verbs.ts';
import { type Recheck, Rechecker, type RecheckOptions } from './priority/recheck.ts';
import { Sweeper } from './priority/sweeper.ts';
import { isGone, Screening, screenedOutcomes } from './screening.ts';
import type * as store from './store.ts';
import type { ChainPoint, TransactionStatus } from './transaction.ts';
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
  readonly #receive: Lane<Arrival, store.ReceiveOutcome>;
  readonly #status: Lane<string, TransactionStatus>;
  readonly #moves: Readonly<Record<MoveVerb, Lane<string, boolean>>>;
  #closing: Promise<void> | null = null;

  /** Takes the store over: closing the pool closes it. */
  constructor(on: store.MempoolStore, options: MempoolOptions = {}) {
    super(on);
    const resolved = resolveMempoolOptions(options);
    const { validate, sweepEveryMs: everyMs, schedule, log } = resolved;
    this.#options = resolved;
    this.#coalescer = new Coalescer(resolved);
    this.#receive = receiveLane(on);
    this.#status = statusLane(on);
    this.#moves = {
      markInflight: moveLane(on, 'markInflight'),
      markAcknowledged: moveLane(on, 'markAcknowledged'),
      release: moveLane(on, 'release'),
    };
    this.#application = validate === null ? null : new Application(validate, new InvalidHashes(resolved));
    this.#screening = new Screening({
      application: this.#application,
      ordering: on.ordering,
      status: (hash, to) => this.status(hash, to),
    });
    this.#sweeper = everyMs === null ? null : new Sweeper({ sweep: () => this.sweep(), everyMs, schedule, log });
  }

  /**
   * Takes one transaction in (L1, L2), after the application's check where there is one. The payload is copied (M1). A verdict
   * that comes with it stands for the check.
   */
  async submit(submission: verbs.Submission, options: SubmitOptions = {}): Promise<SubmitOutcome> {
    this.assertOpen();
    checkTransaction(() => 'transaction', submission, this.#options.maxTxBytes);
    const own = copy('transaction', submission, options);
    return this.#submit(own, checkMoment(this.#at(options)), checkWrite(options));
  }

  /** What became of one transaction (O3). */
  async status(hash: string, options: store.ReadOptions = {}): Promise<TransactionStatus> {
    return this.#single(this.#status, hash, { signal: options.signal });
  }

  /** Takes in at most 1,000 transactions in one step; those the application refuses stay out. */
  async receive(submissions: readonly verbs.Submission[], options: SubmitOptions = {}): Promise<SubmitOutcome[]> {
    this.assertOpen();
    if (!Array.isArray(submissions) || submissions.length > maxCallTransactions)
      throw invalid('transactions', `an array of at most ${maxCallTransactions} transactions`);
    for (const [i, submission] of submissions.entries())
      checkTransaction(() => `transactions[${i}]`, submission, this.#options.maxTxBytes);
    const own = submissions.map((each, i) => copy(`transactions[${i}]`, each, options));
    const moment = checkMoment(this.#at(options));
    return this.#receiveAll(own, moment, checkWrite(options));
  }

  /** Pending → Propagated (L3). For one hash: whether it moved; for a list: the hashes moved. */
  markInflight(hash: string, options?: store.WriteOptions): Promise<boolean>;
  markInflight(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]>;
  markInflight(which: string | readonly string[], options?: store.WriteOptions): Promise<boolean | string[]> {
    return this.#move('markInflight', which, options);
  }

  /** Propagated → Acknowledged (L4). For one hash: whether it moved; for a list: the hashes moved. */
  markAcknowledged(hash: string, options?: store.WriteOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: store.WriteOptions): Promise<boolean | string[]> {
    return this.#move('markAcknowledged', which, options);
  }

  /** Propagated or Acknowledged → Pending at its place (L4). For one hash: whether it moved; for a list: the hashes moved. */
  release(hash: string, options?: store.WriteOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: store.WriteOptions): Promise<boolean | string[]> {
    return this.#move('release', which, options);
  }

  /** Any live stage but Confirmed → Dropped (L10). For one hash: whether it was dropped; for a list: the hashes dropped. */
  drop(hash: string, reason: string, options?: store.WriteOptions): Promise<boolean>;
  drop(hashes: readonly string[], reason: string, options?: store.WriteOptions): Promise<string[]>;
  async drop(
    which: string | readonly string[],
    reason: string,
    options: store.WriteOptions = {},
  ): Promise<boolean | string[]> {
    checkReason(reason);
    if (typeof which === 'string') return this.#single(dropLane(this.store, reason), which, options);
    const hashes = [...checkHashes('hashes', which, maxCallTransactions)];
    return this.#whole((on, to) => on.drop(hashes, reason, to), options);
  }

  /** Applies one block (L5, L6, X3, X6). */
  async confirm(
    block: store.Block,
    policy: store.Policy = {},
    options: store.ChainOptions = {},
  ): Promise<store.ConfirmOutcome> {
    const { point, parent, seen, unseen, provides } = checkBlock(block, policy, defaultThresholds);
    const own = { point, parent: parent ?? undefined, seen, unseen, provides };
    const thresholds = { ...policy };
    return this.#whole((on, to) => on.confirm(own, thresholds, to), options);
  }

  /** Moves the tip back to a point applied earlier; `null` undoes all that is kept (L9, X6). */
  async rollback(point: ChainPoint | null, options: store.ChainOptions = {}): Promise<store.RollbackOutcome> {
    const own = point === null ? null : checkPoint('point', point);
    return this.#whole((on, to) => on.rollback(own, to), options);
  }

  /** What `reap` gives, marked in flight under a lease in the same step. */
  async take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Lot> {
    const room = { ...budget };
    const own = this.#at(options);
    const { owner, leaseMs, now, height } = own;
    return this.#whole((on, to) => on.take(room, { ...to, owner, leaseMs, now, height }), own);
  }

  /** Ends leases, and drops what waited too long or is over the limits. */
  async sweep(options: verbs.SweepOptions = {}): Promise<verbs.Sweep> {
    const { now, height } = this.#at(options);
    return this.#whole((on, to) => on.sweep({ ...to, now, height }), options);
  }

  /** Applies verdicts that were given again. Priority pools. */
  async revise(
    revisions: readonly verbs.Revision[],
    options: verbs.ReviseOptions = {},
  ): Promise<verbs.ReviseOutcome[]> {
    const own = Array.isArray(revisions) ? [...revisions] : revisions;
    const { now, height } = this.#at(options);
    const outcomes = await this.#whole((on, to) => on.revise(own, { ...to, now, height }), options);
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
  async recheck(options: RecheckOptions = {}): Promise<Recheck> {
    this.assertOpen();
    if (this.#application === null) throw invalid('validate', 'given to the pool: a recheck asks it');
    const { slice = 100, signal } = options;
    if (!Number.isSafeInteger(slice) || slice < 1 || slice > maxCallTransactions)
      throw invalid('slice', `a whole number of 1–${maxCallTransactions}`);
    const height = checkCount('height', this.#at(options).height ?? Number.NaN);
    return new Rechecker({ pool: this, application: this.#application, height, slice, signal }).run();
  }

  /** Every Pending transaction → Dropped. Returns how many. */
  async flush(options: store.WriteOptions = {}): Promise<number> {
    return this.#whole((on, to) => on.flush(to), options);
  }

  /** Sets the limits that are named, for every node; returns all of them. */
  async setLimits(limits: Partial<Limits>, options: store.WriteOptions = {}): Promise<Limits> {
    const own = { ...limits };
    return this.#whole((on, to) => on.setLimits(own, to), options);
  }

  /** Sends what was accepted, closes the store, ends the streams, and tells those who still wait. Twice is fine (R2). */
  close(): Promise<void> {
    this.#sweeper?.stop();
    this.#closing ??= this.end(this.#coalescer.close());
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #submit(own: verbs.Submission, moment: CheckedMoment, context: store.WriteOptions): Promise<SubmitOutcome> {
    if (this.#screening.passes(own)) return this.#send(own, moment, context);
    const screened = await this.#screening.screen(own, moment.height ?? undefined, context);
    if (screened.kind === 'answered') return screened.outcome;
    const outcome = await this.#send(screened.submission, moment, context);
    // Its operation id, where there is one, has been used by the call that found it gone.
    return isGone(screened, outcome) ? this.#submit(own, moment, { signal: context.signal }) : outcome;
  }

  #send(own: verbs.Submission, moment: CheckedMoment, context: store.WriteOptions): Promise<store.ReceiveOutcome> {
    const subject = { item: { ...own, ...moment }, hash: own.hash, bytes: weight(own) };
    return this.#coalescer.call(this.#receive, subject, context);
  }

  async #receiveAll(
    own: readonly verbs.Submission[],
    moment: CheckedMoment,
    context: store.WriteOptions,
  ): Promise<SubmitOutcome[]> {
    const { now, height } = { now: moment.now ?? undefined, height: moment.height ?? undefined };
    const send = (submissions: readonly verbs.Submission[]): Promise<store.ReceiveOutcome[]> =>
      this.#whole((on, to) => on.receive(submissions, { ...to, now, height }), context);
    if (own.every((each) => this.#screening.passes(each))) return send(own);
    const screened = await Promise.all(own.map((each) => this.#screening.screen(each, height, context)));
    const outcomes = await send(screened.flatMap((each) => (each.kind === 'answered' ? [] : each.submission)));
    const again = { signal: context.signal };
    const told = screenedOutcomes(own, screened, outcomes).map((outcome, i) =>
      isGone(screened[i], outcome) ? this.#submit(own[i] as verbs.Submission, moment, again) : outcome,
    );
    return Promise.all(told);
  }

  async #move(
    verb: MoveVerb,
    which: string | readonly string[],
    options: store.WriteOptions = {},
  ): Promise<boolean | string[]> {
    if (typeof which === 'string') return this.#single(this.#moves[verb], which, options);
    const hashes = [...checkHashes('hashes', which, maxCallTransactions)];
    return this.#whole((on, to) => on[verb](hashes, to), options);
  }

  async #single<Answer>(lane: Lane<string, Answer>, hash: string, options: store.WriteOptions): Promise<Answer> {
    checkHash('hash', hash);
    return this.#coalescer.call(lane, { item: hash, hash, bytes: 0 }, checkWrite(options));
  }

  async #whole<Answer>(
    run: (on: store.MempoolStore, to: store.ChainOptions) => Promise<Answer>,
    options: store.ChainOptions,
  ): Promise<Answer> {
    const { lease, ...context } = checkChainWrite(options);
    return this.#coalescer.whole(() => run(this.store, { ...context, lease: lease ?? undefined }), context.signal);
  }

  /** The options as they are at the moment of the call, with the height that the pool is told where they have none. */
  #at<Options extends Pick<verbs.Moment, 'height'>>(options: Options): Options {
    return { ...options, height: options?.height ?? this.#options.height?.() };
  }
}

/** M1: what is handed in stays as it is, whatever the caller does next. */
function copy(place: string, submission: verbs.Submission, options: SubmitOptions): verbs.Submission {
  const { hash, payload, payloadType, verdict, from = options.from } = submission;
  const own = { hash, payload: Buffer.from(payload), payloadType };
  if (verdict === undefined && from === undefined) return own;
  return { ...own, from, verdict: verdict === undefined ? undefined : ownVerdict(`${place}.verdict`, verdict) };
}

/** What it adds to a store call (O6): tags may be larger than the payload. */
function weight({ payload, verdict: { provides = [], requires = [] } = {} }: verbs.Submission): number {
  let bytes = payload.length;
  for (const tag of provides) bytes += tag.length;
  for (const tag of requires) bytes += tag.length;
  return bytes;
}
