import {
  checkChainWrite,
  checkHash,
  checkHashes,
  checkPolicy,
  checkRead,
  checkReason,
  checkTarget,
  checkWrite,
  maxCallTransactions,
  ownBlock,
} from '../boundary/arguments.ts';
import { checkCount } from '../boundary/basic-checks.ts';
import { asChecked } from '../boundary/checked-once.ts';
import { checkLimits } from '../boundary/open-options.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import {
  checkBudget,
  checkExtension,
  checkGuard,
  checkRevisions,
  checkSweep,
  checkTake,
} from '../boundary/pool-arguments.ts';
import type {
  ChainOptions,
  ClaimOptions,
  LogQuery,
  ReadOptions,
  ReleaseOptions,
  SeqQuery,
  SubscribeOptions,
  TipOptions,
  WriteOptions,
} from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { MempoolEvent } from '../contract/events.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Limits, Ordering } from '../contract/limits.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { LogEntry, StoredTransaction, Transaction, TransactionStatus } from '../contract/transaction.ts';
import { Application } from './application.ts';
import { type BatchedVerb, batchedDrop, batchedMove, batchedStatus, type Guard } from './call-list.ts';
import type { Gossip, GossipOptions } from './gossip.ts';
import { InvalidHashes } from './invalid-hashes.ts';
import {
  callTime,
  type MempoolOptions,
  type ResolvedMempoolOptions,
  resolveMempoolOptions,
} from './mempool-options.ts';
import { checkLogWalk, checkSeqWalk, type LogWalkOptions, type SeqWalkOptions, walkBySeq, walkLog } from './pages.ts';
import { PoolCalls } from './pool-calls.ts';
import { type Recheck, Rechecker, type RecheckOptions } from './recheck.ts';
import { Submitter } from './submitter.ts';
import { Sweeper } from './sweeper.ts';
import type { SubmitOptions, SubmitOutcome } from './validation.ts';
import type { Waited, WaitOptions } from './waiters.ts';
import { Waiting } from './waiting.ts';

/**
 * A pool on any store, for callers that handle one transaction at a time. Calls made in one turn of the event loop
 * become one store call (O6). Calls for one hash take effect in the order made, and so do submissions (M2). Whole-pool
 * writes (`receive`, lists of hashes, `take`, `confirm` and so on) run after every call made before them. Reads of
 * pages and counts go straight to the store and see every write that was answered.
 * @throws as `MempoolStore`; `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already
 */
export class Mempool implements AsyncDisposable {
  readonly #calls: PoolCalls;
  readonly #options: ResolvedMempoolOptions;
  readonly #application: Application | null;
  readonly #submitter: Submitter;
  readonly #waiting: Waiting;
  readonly #sweeper: Sweeper | null;
  readonly #status: BatchedVerb<string, TransactionStatus>;
  readonly #moves: Readonly<Record<MoveVerb, BatchedVerb<string, boolean>>>;
  #closing: Promise<void> | null = null;

  /** Uses the store from now on. Closing the pool closes the store. @throws `ERR_MEMPOOL_INVALID` naming the option */
  constructor(on: store.AnyStore, options: MempoolOptions = {}) {
    const resolved = resolveMempoolOptions(options);
    const { validate, sweepEveryMs: everyMs, schedule, log } = resolved;
    this.#options = resolved;
    this.#calls = new PoolCalls(on, resolved);
    this.#status = batchedStatus(on);
    this.#moves = {
      markInflight: batchedMove(on, 'markInflight'),
      markAcknowledged: batchedMove(on, 'markAcknowledged'),
      release: batchedMove(on, 'release'),
    };
    this.#application = validate === null ? null : new Application(validate, new InvalidHashes(resolved));
    this.#submitter = new Submitter({
      calls: this.#calls,
      options: resolved,
      application: this.#application,
      status: (hash, to) => this.status(hash, to),
    });
    this.#waiting = new Waiting(this.#calls);
    this.#sweeper = everyMs === null ? null : new Sweeper({ sweep: () => this.sweep(), everyMs, schedule, log });
  }

  /** The order of the pool. */
  get ordering(): Ordering {
    return this.#calls.store.ordering;
  }

  /** The store below, for verbs that this class does not offer. */
  get store(): store.AnyStore {
    return this.#calls.store;
  }

  /**
   * Adds one transaction to the pool (L1, L2), after `validate` has accepted it. The payload is copied (M1). A
   * submission that has a verdict is not validated. Returns the outcome, also for a refusal.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const { kind } = await pool.submit({ hash, payload, payloadType: 0 });
   */
  async submit(submission: verbs.Submission, options?: SubmitOptions): Promise<SubmitOutcome> {
    return this.#submitter.submit(submission, options);
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
    return this.#submitter.receive(submissions, options);
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
  markAcknowledged(hash: string, options?: ClaimOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: ClaimOptions): Promise<boolean | string[]> {
    return this.#move('markAcknowledged', which, options);
  }

  /**
   * Propagated or Acknowledged → Pending at its old position (L4). For one hash it returns true if it moved; for a
   * list, the hashes that moved.
   * @example await pool.release(hash, { claim: claimId, notBeforeMs: Date.now() + 5_000 }); // again in 5 s
   */
  release(hash: string, options?: ReleaseOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: ReleaseOptions): Promise<boolean | string[]> {
    return this.#move('release', which, options);
  }

  /**
   * Any live stage but Confirmed → Dropped (L10). For one hash it returns true if it was dropped; for a list, the
   * hashes.
   */
  drop(hash: string, reason: string, options?: ClaimOptions): Promise<boolean>;
  drop(hashes: readonly string[], reason: string, options?: ClaimOptions): Promise<string[]>;
  async drop(which: string | readonly string[], reason: string, options?: ClaimOptions): Promise<boolean | string[]> {
    const context = checkWrite(options, callNames.claim);
    const guard = checkGuard(options);
    checkReason(reason);
    if (typeof which === 'string') return this.#single(batchedDrop(this.#calls.store, reason, guard), which, context);
    const hashes = asChecked(checkHashes('hashes', which, maxCallTransactions));
    return this.#calls.whole(context, (on, to) => on.drop(hashes, reason, to), guard);
  }

  /**
   * Applies one block (L5, L6, X3, X6).
   * @example await pool.confirm({ point: { slot, hash: blockHash }, parent, seen: hashes, unseen: [] });
   */
  async confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    const context = checkChainWrite(options);
    const thresholds = asChecked(checkPolicy(policy));
    const own = asChecked(ownBlock(block));
    return this.#calls.whole(context, (on, to) => on.confirm(own, thresholds, to));
  }

  /** Moves the tip back to a point applied earlier. `null` undoes all blocks that are kept (L9, X6). */
  async rollback(target: store.RollbackTarget, options?: ChainOptions): Promise<store.RollbackOutcome> {
    const context = checkChainWrite(options);
    const point = checkTarget(target);
    const own = point === null ? 'origin' : asChecked(point);
    return this.#calls.whole(context, (on, to) => on.rollback(own, to));
  }

  /**
   * Selects as `reap` does and moves the result to Propagated, claimed by one owner, in the same step.
   * @example const claim = await pool.take({ maxTxs: 100 }, { owner: 'worker-1', claimMs: 30_000 });
   */
  take(budget: verbs.Budget, options: verbs.TakePayloadsOptions): Promise<verbs.ClaimWithPayloads>;
  take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Claim>;
  async take(
    budget: verbs.Budget,
    options: verbs.TakeOptions | verbs.TakePayloadsOptions,
  ): Promise<verbs.Claim | verbs.ClaimWithPayloads> {
    const context = checkWrite(options, callNames.take);
    const claim = { ...checkTake(options), ...callTime(options, this.#options) } as verbs.TakeOptions;
    const room = asChecked(checkBudget(budget));
    const taken = await this.#calls.whole(context, (on, to) => on.take(room, to), claim);
    // P20: what it wakes writes no event.
    this.#waiting.wake();
    return taken;
  }

  /** Lets a claim end later: `claimMs` from now, unless it ends later already (P19). */
  async extendClaim(claimId: string, claimMs: number, options?: verbs.ExtendOptions): Promise<verbs.ExtendOutcome> {
    const context = checkWrite(options, callNames.moment);
    const own = checkExtension(claimId, claimMs);
    const moment = callTime(options, this.#options);
    return this.#calls.whole(context, (on, to) => on.extendClaim(own.claimId, own.claimMs, to), moment);
  }

  /**
   * Ends claims that are over, hands out again what was held back until now, and drops what waited too long. With
   * `overLimits` it drops what is over the limits, too.
   */
  async sweep(options?: verbs.SweepOptions): Promise<verbs.Sweep> {
    const context = checkWrite(options, callNames.sweep);
    const { overLimits } = checkSweep(options);
    const targets = { ...callTime(options, this.#options), overLimits };
    const swept = await this.#calls.whole(context, (on, to) => on.sweep(to), targets);
    if (swept.woken.length > 0) this.#waiting.wake();
    return swept;
  }

  /** Applies new verdicts. Priority pools only. */
  async revise(revisions: readonly verbs.Revision[], options?: verbs.ReviseOptions): Promise<verbs.ReviseOutcome[]> {
    const context = checkWrite(options, callNames.moment);
    const own = asChecked(checkRevisions(revisions));
    const moment = callTime(options, this.#options);
    const outcomes = await this.#calls.whole(context, (on, to) => on.revise(own, to), moment);
    // A revision that makes a transaction ready writes no event.
    this.#waiting.wake();
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
    this.#calls.assertOpen();
    const { signal } = checkRead(options, callNames.recheck);
    if (this.#application === null) throw invalid('validate', 'given to the pool: recheck calls it');
    const slice = options?.slice ?? 100;
    if (!Number.isSafeInteger(slice) || slice < 1 || slice > maxCallTransactions)
      throw invalid('slice', `a whole number from 1 to ${maxCallTransactions}`);
    const height = checkCount('height', callTime(options, this.#options).height ?? Number.NaN);
    return new Rechecker({ pool: this, application: this.#application, height, slice, signal }).run();
  }

  /** Every Pending transaction → Dropped. Returns their number. */
  async flush(options?: WriteOptions): Promise<number> {
    return this.#calls.whole(checkWrite(options), (on, to) => on.flush(to));
  }

  /** Sets the limits that are given, for every node. Returns all limits. */
  async setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    const context = checkWrite(options);
    const own = asChecked(checkLimits(limits));
    return this.#calls.whole(context, (on, to) => on.setLimits(own, to));
  }

  /**
   * Waits until the transaction is at the stage asked for or a later one (`reached`), or is Dropped (`dropped`). Returns
   * its status then (R3). The hash may be unknown at first. All waits share one subscription.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error at the first read
   * @example const { kind, status } = await pool.waitFor(hash, { stage: 'Confirmed', confirmations: 6 });
   */
  async waitFor(hash: string, options?: WaitOptions): Promise<Waited> {
    return this.#waiting.waitFor(hash, options);
  }

  /**
   * Waits until the pool has a transaction that is Pending and ready to propagate. Resolves at once if it has one.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error
   */
  async waitForPending(options?: ReadOptions): Promise<void> {
    return this.#waiting.waitForPending(options);
  }

  /**
   * Delivers the current status of each hash, then each change of its stage. `break` or an abort ends it at once.
   * @example for await (const { hash, stage } of pool.watch([hash])) console.log(hash, stage);
   */
  watch(hashes: readonly string[], options?: ReadOptions): AsyncIterable<TransactionStatus> {
    return begun(() => this.#waiting.watch(hashes, options));
  }

  /**
   * The transactions to send to one peer, as they become ready. Keep its `cursor` and give it as `after` to resume. For
   * priority pools. If an argument is bad, the first page fails with `ERR_MEMPOOL_INVALID`.
   */
  gossip(peer: string, options?: GossipOptions): Gossip {
    return this.#waiting.gossip(peer, options);
  }

  /**
   * All Pending transactions by seq, over all pages (O1).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   * @example for await (const { hash, payload } of pool.pending()) await broadcast(hash, payload);
   */
  pending(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#calls.store, 'peekPending', checkSeqWalk(options)));
  }

  /**
   * All transactions in flight by seq, over all pages (O1).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   */
  inflight(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#calls.store, 'peekInflight', checkSeqWalk(options)));
  }

  /**
   * The terminal log from a cursor on, over all pages (O4).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   */
  finalized(options?: LogWalkOptions): AsyncIterable<LogEntry> {
    return begun(() => walkLog(this.#calls.store, checkLogWalk(options)));
  }

  /** True if the pool has a transaction to propagate (O2). */
  async hasPending(options?: ReadOptions): Promise<boolean> {
    return this.#calls.reading.hasPending(options);
  }

  /** One page of Pending transactions by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekPending(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#calls.reading.peekPending(query);
  }

  /** One page of the transactions in flight by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekInflight(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#calls.reading.peekInflight(query);
  }

  /** One page of the transactions that wait for a parent, by seq. @throws `ERR_MEMPOOL_CORRUPT` */
  async peekParked(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#calls.reading.peekParked(query);
  }

  /** Transactions in flight, in the order of the hashes; `null` for any other hash. @throws `ERR_MEMPOOL_CORRUPT` */
  async findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#calls.reading.findInflight(hashes, options);
  }

  /** The live transactions, in the order of the hashes; `null` for any other hash. @throws `ERR_MEMPOOL_CORRUPT` */
  async payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | null)[]> {
    return this.#calls.reading.payloads(hashes, options);
  }

  /** The statuses of at most 1,000 transactions, in the order of the hashes (O3). */
  async checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.#calls.reading.checkStatus(hashes, options);
  }

  /** One page of the terminal log (O4). @throws `ERR_MEMPOOL_CORRUPT` */
  async dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.#calls.reading.dumpFinalized(query);
  }

  /**
   * Selects ready transactions that fit into a block, best first; in a fifo pool oldest first. Changes nothing.
   * @example const candidates = await pool.reap({ maxBytes: 90_112, maxGas: 14_000_000 });
   */
  async reap(budget?: verbs.Budget, options?: ReadOptions): Promise<verbs.Candidate[]> {
    return this.#calls.reading.reap(budget, options);
  }

  /** One page of ready transactions, best first. Priority pools only. */
  async best(query?: verbs.BestQuery): Promise<verbs.RankedCandidate[]> {
    return this.#calls.reading.best(query);
  }

  /**
   * One page of the transactions that became ready after a gossip number, for peers. In a fifo pool: that arrived after
   * a seq. `gossip` waits for more.
   */
  async since(gossipSeq: number, query?: verbs.GossipQuery): Promise<verbs.GossipPage> {
    return this.#calls.reading.since(gossipSeq, query);
  }

  /**
   * One page of the transactions whose verdict is older than a height, the oldest verdict first. Use `recheck` to
   * validate them again. Priority pools only.
   */
  async stale(query: verbs.StaleQuery): Promise<verbs.StaleTransaction[]> {
    return this.#calls.reading.stale(query);
  }

  /** Delivers every event of the pool, written by any node (E3, E4). */
  async subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#calls.reading.subscribe(options);
  }

  /** Returns the last block applied (X4). */
  async tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.#calls.reading.tip(options);
  }

  /** Returns how much the pool holds. Calls that still wait in the queue are not counted. */
  async usage(options?: ReadOptions): Promise<store.Usage> {
    return this.#calls.reading.usage(options);
  }

  /**
   * Sends all accepted calls, closes the store, ends the streams and rejects the waits that are left. A second call is
   * harmless (R2).
   * @example await pool.close();
   */
  close(): Promise<void> {
    this.#sweeper?.stop();
    this.#closing ??= this.#waiting.end(this.#calls.close());
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #move(
    verb: MoveVerb,
    which: string | readonly string[],
    options: ReleaseOptions | undefined,
  ): Promise<boolean | string[]> {
    const context = checkWrite(options, guardNames[verb]);
    const guard = checkGuard(options);
    if (typeof which === 'string') return this.#single(this.#lane(verb, guard), which, context);
    const hashes = asChecked(checkHashes('hashes', which, maxCallTransactions));
    return this.#calls.whole(context, (on, to) => on[verb](hashes, to), guard);
  }

  #lane(verb: MoveVerb, guard: Guard): BatchedVerb<string, boolean> {
    const isFree = guard.claim === undefined && guard.notBeforeMs === undefined;
    return isFree ? this.#moves[verb] : batchedMove(this.#calls.store, verb, guard);
  }

  async #single<Answer>(verb: BatchedVerb<string, Answer>, hash: string, context: WriteOptions): Promise<Answer> {
    checkHash('hash', hash);
    return this.#calls.single(verb, { item: hash, hash, bytes: 0 }, context);
  }
}

const guardNames: Readonly<Record<MoveVerb, CallNames>> = {
  markInflight: callNames.write,
  markAcknowledged: callNames.claim,
  release: callNames.release,
};

/** If the arguments are bad, the walk rejects at its first step, as a call would. */
function begun<T>(walk: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return walk();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
