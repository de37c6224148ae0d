import type {
  ChainOptions,
  ClaimOptions,
  DropOptions,
  ReadOptions,
  ReleaseOptions,
  WriteOptions,
} from '../contract/call-options.ts';
import type { DropReason } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits, Ordering } from '../contract/limits.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { LogEntry, StoredTransaction, TransactionStatus } from '../contract/transaction.ts';
import { Application } from './application.ts';
import { BestWalk, type BestWalkOptions } from './best-walk.ts';
import type { Gossip, GossipOptions } from './gossip.ts';
import { InvalidHashes } from './invalid-hashes.ts';
import {
  callTime,
  checkStore,
  type MempoolOptions,
  type ResolvedMempoolOptions,
  resolveMempoolOptions,
} from './mempool-options.ts';
import {
  checkLogWalk,
  checkSeqWalk,
  type LogWalkOptions,
  type SeqWalkOptions,
  type Walked,
  walkBySeq,
  walkLog,
} from './pages.ts';
import { passedVerbs } from './passed-verbs.ts';
import { PoolCalls } from './pool-calls.ts';
import { PoolWrites } from './pool-writes.ts';
import { checkRecheck, type Recheck, Rechecker, type RecheckOptions } from './recheck.ts';
import { Submitter } from './submitter.ts';
import { Sweeper } from './sweeper.ts';
import type { SubmitOptions, SubmitOutcome } from './validation.ts';
import type { Waited, WaitOptions } from './waiters.ts';
import { Waiting } from './waiting.ts';
import { resolveWorkOptions, type WorkDone, type WorkHandler, type WorkOptions } from './work-options.ts';
import { Worker } from './worker.ts';

/**
 * A pool on any store, for callers that handle one transaction at a time. Calls made in one turn of the event loop
 * become one store call (O6). Calls for one hash take effect in the order made, and so do submissions (M2). Whole-pool
 * writes (`receive`, lists of hashes, `take`, `confirm` and so on) run after every call made before them. Reads of
 * pages and counts go straight to the store and see every write that was answered.
 * @throws the errors of `MempoolStore`; `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already
 */
export class Mempool implements AsyncDisposable {
  readonly #calls: PoolCalls;
  readonly #options: ResolvedMempoolOptions;
  readonly #application: Application | null;
  readonly #submitter: Submitter;
  readonly #writes: PoolWrites;
  readonly #waiting: Waiting;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | null = null;

  // Verbs that go straight to the store. They see every write that was answered, but none that waits in the queue.
  declare readonly hasPending: store.AnyStore['hasPending'];
  declare readonly peekPending: store.AnyStore['peekPending'];
  declare readonly peekInflight: store.AnyStore['peekInflight'];
  declare readonly peekParked: store.AnyStore['peekParked'];
  declare readonly findInflight: store.AnyStore['findInflight'];
  declare readonly payloads: store.AnyStore['payloads'];
  declare readonly checkStatus: store.AnyStore['checkStatus'];
  declare readonly dumpFinalized: store.AnyStore['dumpFinalized'];
  declare readonly reap: store.AnyStore['reap'];
  declare readonly best: store.AnyStore['best'];
  declare readonly since: store.AnyStore['since'];
  declare readonly bySender: store.AnyStore['bySender'];
  declare readonly byTag: store.AnyStore['byTag'];
  declare readonly stale: store.AnyStore['stale'];
  declare readonly subscribe: store.AnyStore['subscribe'];
  declare readonly tip: store.AnyStore['tip'];
  declare readonly usage: store.AnyStore['usage'];
  declare readonly getRecord: store.AnyStore['getRecord'];
  declare readonly putRecord: store.AnyStore['putRecord'];
  declare readonly listRecords: store.AnyStore['listRecords'];

  static {
    for (const verb of passedVerbs) {
      const call = function (this: Mempool, ...given: never[]): Promise<unknown> {
        return this.#calls.observed(verb, async () => {
          const on = this.#calls.reading;
          return (on[verb] as (...given: never[]) => Promise<unknown>).apply(on, given);
        });
      };
      Object.defineProperty(Mempool.prototype, verb, { value: call, configurable: true, writable: true });
    }
  }

  /**
   * Makes a pool on the store. Closing the pool closes the store.
   * @throws `ERR_MEMPOOL_INVALID` naming the option, or naming `store` if that is not a store, such as a promise of one
   */
  constructor(on: store.AnyStore, options: MempoolOptions = {}) {
    checkStore(on);
    const resolved = resolveMempoolOptions(options);
    const { validate } = resolved;
    this.#options = resolved;
    this.#calls = new PoolCalls(on, resolved);
    this.#waiting = new Waiting(this.#calls);
    this.#writes = new PoolWrites(this.#calls, resolved, () => this.#waiting.wake());
    this.#application = validate === null ? null : new Application(validate, new InvalidHashes(resolved));
    this.#submitter = new Submitter({
      calls: this.#calls,
      options: resolved,
      application: this.#application,
      status: (hash, to) => this.#writes.status(hash, to),
    });
    this.#sweeper = new Sweeper({ calls: this.#calls, options: resolved, woken: () => this.#waiting.wake() });
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
   * submission that has a verdict is not validated. A refusal is an outcome, not an error.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const { kind } = await pool.submit({ hash, payload });
   */
  submit(submission: verbs.Submission, options?: SubmitOptions): Promise<SubmitOutcome> {
    return this.#calls.observed('submit', (trace) => this.#submitter.submit(submission, options, trace));
  }

  /**
   * Returns the status of one transaction (O3).
   * @example const { stage, confirmations } = await pool.status(hash);
   */
  status(hash: string, options?: ReadOptions): Promise<TransactionStatus> {
    return this.#calls.observed('status', (trace) => this.#writes.status(hash, options, trace));
  }

  /**
   * Adds at most 1,000 transactions in one step, without those that `validate` refuses and those that are too large.
   * Returns one outcome for each transaction, in the order given.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const outcomes = await pool.receive(transactions, { from: peerId });
   */
  receive(submissions: readonly verbs.Submission[], options?: SubmitOptions): Promise<SubmitOutcome[]> {
    return this.#calls.observed('receive', (trace) => this.#submitter.receive(submissions, options, trace));
  }

  /**
   * Moves Pending transactions to Propagated (L3). For one hash it returns true if it moved; for a list, the hashes that
   * moved.
   * @example await pool.markInflight(hash);
   */
  markInflight(hash: string, options?: WriteOptions): Promise<boolean>;
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markInflight(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#calls.observed('markInflight', (trace) => this.#writes.move('markInflight', which, options, trace));
  }

  /**
   * Moves Propagated transactions to Acknowledged (L4). For one hash it returns true if it moved; for a list, the hashes
   * that moved.
   */
  markAcknowledged(hash: string, options?: ClaimOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: ClaimOptions): Promise<boolean | string[]> {
    return this.#calls.observed('markAcknowledged', (trace) =>
      this.#writes.move('markAcknowledged', which, options, trace),
    );
  }

  /**
   * Moves Propagated and Acknowledged transactions back to their old position in Pending (L4). For one hash it returns true
   * if it moved; for a list, the hashes that moved.
   * @example await pool.release(hash, { claim: claimId, notBeforeMs: Date.now() + 5_000 }); // again in 5 s
   */
  release(hash: string, options?: ReleaseOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: ReleaseOptions): Promise<boolean | string[]> {
    return this.#calls.observed('release', (trace) => this.#writes.move('release', which, options, trace));
  }

  /**
   * Drops live transactions that are not Confirmed (L10). For one hash it returns true if it was dropped; for a list, the
   * hashes that were dropped.
   */
  drop(hash: string, reason: DropReason, options?: DropOptions): Promise<boolean>;
  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]>;
  drop(which: string | readonly string[], reason: DropReason, options?: DropOptions): Promise<boolean | string[]> {
    return this.#calls.observed('drop', (trace) => this.#writes.drop(which, reason, options, trace));
  }

  /**
   * Applies one block (L5, L6, X3, X6).
   * @example await pool.confirm({ point: { slot, hash: blockHash }, parent, seen: hashes });
   */
  confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    return this.#calls.observed('confirm', () => this.#writes.confirm(block, policy, options));
  }

  /** Moves the tip back to a point applied earlier. `'origin'` undoes all blocks that are kept (L9, X6). */
  rollback(target: store.RollbackTarget, options?: ChainOptions): Promise<store.RollbackOutcome> {
    return this.#calls.observed('rollback', () => this.#writes.rollback(target, options));
  }

  /**
   * Selects transactions as `reap` does, moves them to Propagated and puts them under a claim of `owner`, in one step.
   * @example const claim = await pool.take({ maxTxs: 100 }, { owner: 'worker-1', claimMs: 30_000 });
   */
  take(budget: verbs.Budget, options: verbs.TakePayloadsOptions): Promise<verbs.ClaimWithPayloads>;
  take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Claim>;
  take(
    budget: verbs.Budget,
    options: verbs.TakeOptions | verbs.TakePayloadsOptions,
  ): Promise<verbs.Claim | verbs.ClaimWithPayloads> {
    return this.#calls.observed('take', () => this.#writes.take(budget, options));
  }

  /** Extends a claim: it ends `claimMs` from now, or at its present end if that is later (P19). */
  extendClaim(claimId: string, claimMs: number, options?: verbs.ExtendOptions): Promise<verbs.ExtendOutcome> {
    return this.#calls.observed('extendClaim', () => this.#writes.extendClaim(claimId, claimMs, options));
  }

  /**
   * Ends claims whose time is over, wakes transactions that were held back until now, and drops those that waited or were
   * in flight too long (P9). With `overLimits` it also drops transactions until the limits hold.
   */
  sweep(options?: verbs.SweepOptions): Promise<verbs.Sweep> {
    return this.#calls.observed('sweep', () => this.#writes.sweep(options));
  }

  /** Applies new verdicts. Priority pools only. */
  revise(revisions: readonly verbs.Revision[], options?: verbs.ReviseOptions): Promise<verbs.ReviseOutcome[]> {
    return this.#calls.observed('revise', (trace) => this.#writes.revise(revisions, options, trace));
  }

  /**
   * Validates again every Pending transaction whose verdict was given below the height, and applies the answers. It
   * works in slices, so that other calls can run in between. It does not change a transaction that meanwhile leaves the
   * pool or receives a newer verdict. Priority pools only.
   * @throws `ERR_MEMPOOL_INVALID` without `validate` or for a wrong option; any error of `validate`; the signal's
   * reason. An error does not undo the slices that were applied before.
   */
  recheck(options?: RecheckOptions): Promise<Recheck> {
    return this.#calls.observed('recheck', async () => {
      this.#calls.assertOpen();
      if (this.#application === null) throw invalid('validate', 'given to the pool: recheck calls it');
      const { height } = callTime(options, this.#options);
      const parts = { pool: this, application: this.#application, ...checkRecheck({ ...options, height }) };
      return new Rechecker(parts).run();
    });
  }

  /** Drops the sender's live transactions that are not Confirmed, at most 1,000 in one step. Priority pools only. */
  dropBySender(sender: string, reason: DropReason, options?: WriteOptions): Promise<verbs.SenderDrop> {
    return this.#calls.observed('dropBySender', () => this.#writes.dropBySender(sender, reason, options));
  }

  /** Drops every Pending transaction. Returns their number. */
  flush(options?: WriteOptions): Promise<number> {
    return this.#calls.observed('flush', () => this.#writes.flush(options));
  }

  /** Sets the given limits, for every node. Returns all limits. */
  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    return this.#calls.observed('setLimits', () => this.#writes.setLimits(limits, options));
  }

  /**
   * Waits until the transaction has reached the given stage or a later one (`reached`), or is Dropped (`dropped`). Returns
   * its status then (R3). The hash may be unknown at first. All waits share one subscription.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error at the first read
   * @example const { kind, status } = await pool.waitFor(hash, { stage: 'Confirmed', confirmations: 6 });
   */
  waitFor(hash: string, options?: WaitOptions): Promise<Waited> {
    return this.#calls.observed('waitFor', () => this.#waiting.waitFor(hash, options));
  }

  /**
   * Waits until the pool has a transaction that is Pending and ready to propagate. Resolves at once if it has one.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error
   */
  waitForPending(options?: ReadOptions): Promise<void> {
    return this.#calls.observed('waitForPending', () => this.#waiting.waitForPending(options));
  }

  /**
   * Delivers the current status of each hash, then each change of its stage. `break` ends it. After an abort, the loop
   * throws the signal's reason.
   * @example for await (const { hash, stage } of pool.watch([hash])) console.log(hash, stage);
   */
  watch(hashes: readonly string[], options?: ReadOptions): AsyncIterable<TransactionStatus> {
    return begun(() => this.#waiting.watch(hashes, options));
  }

  /**
   * Returns a stream of the transactions to send to one peer, as they become ready. To resume it later, keep its `cursor`
   * and pass that as `after`. Priority pools only. If an argument is wrong, the first page fails with `ERR_MEMPOOL_INVALID`.
   */
  gossip(peer: string, options?: GossipOptions): Gossip {
    return this.#waiting.gossip(peer, options);
  }

  /**
   * Iterates over all Pending transactions by seq, page by page (O1). It skips damaged ones (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was made anew since
   * @example for await (const { hash, payload } of pool.pending()) await broadcast(hash, payload);
   */
  pending(options?: SeqWalkOptions): AsyncIterable<StoredTransaction & Walked> {
    return begun(() => walkBySeq(this.#calls.store, 'peekPending', checkSeqWalk(options)));
  }

  /**
   * Iterates over all transactions in flight by seq, page by page (O1). It skips damaged ones (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was made anew since
   */
  inflight(options?: SeqWalkOptions): AsyncIterable<StoredTransaction & Walked> {
    return begun(() => walkBySeq(this.#calls.store, 'peekInflight', checkSeqWalk(options)));
  }

  /**
   * Iterates over the ready transactions, best first, without payloads, while the pool changes (P25). `markInvalid` skips a
   * transaction and its descendants in this walk only. Priority pools only. If an argument is wrong, the first step fails
   * with `ERR_MEMPOOL_INVALID`.
   * @example for await (const { hash } of walk) if (!(await execute(hash))) walk.markInvalid(hash);
   */
  bestIterator(options?: BestWalkOptions): BestWalk {
    return new BestWalk(this.#calls.store, options);
  }

  /**
   * Iterates over the terminal log from a cursor on, page by page (O4). It skips damaged entries (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was made anew since
   */
  finalized(options?: LogWalkOptions): AsyncIterable<LogEntry & Walked> {
    return begun(() => walkLog(this.#calls.store, checkLogWalk(options)));
  }

  /**
   * Takes transactions and calls `handler` for each, at most `concurrency` at the same time, until `signal` aborts (P21).
   * Any number of processes may work on one pool. Claims are extended while handlers run.
   *
   * - If the handler returns, the transaction is acknowledged.
   * - If it throws, the transaction is released for another attempt after `backoff`. After `attempts` it is dropped as
   *   `failed`. An `UnrecoverableError` drops it at once.
   * - On an abort, nothing more is taken, the handlers' signals abort, and unfinished transactions are released.
   *
   * Returns the numbers of transactions by result.
   * @throws `ERR_MEMPOOL_INVALID` naming the option; a store's error that is not retryable
   * @example await pool.work(({ payload }) => node.send(payload), { concurrency: 8, signal });
   */
  async work(handler: WorkHandler, options?: WorkOptions): Promise<WorkDone> {
    this.#calls.assertOpen();
    const own = resolveWorkOptions(handler, options);
    const parts = {
      handler,
      work: own,
      options: this.#options,
      calls: this.#calls,
      waiting: this.#waiting,
      pool: this,
    };
    return new Worker(parts).run();
  }

  /**
   * Sends all accepted calls, closes the store, ends the streams and rejects the waits that are left. A second call does
   * nothing (R2).
   * @example await pool.close();
   */
  close(): Promise<void> {
    this.#sweeper.stop();
    this.#closing ??= this.#waiting.end(this.#calls.close());
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** If the arguments are bad, the walk rejects at its first step, as a call would. */
function begun<T>(walk: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return walk();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
