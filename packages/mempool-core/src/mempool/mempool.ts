import { checkBlock, checkHash, checkRead, checkReason, checkTarget } from '../boundary/arguments.ts';
import { unsupported } from '../boundary/call-errors.ts';
import type { CallRunnerParts } from '../boundary/call-runner.ts';
import { checkLimits, type PoolOptions } from '../boundary/open-options.ts';
import { blockParts, fieldsPart, hashesPart, pointPart, putPart, withDigest } from '../boundary/operation-digest.ts';
import { callNames } from '../boundary/option-names.ts';
import { extendClaimOf, takeFrom } from '../boundary/payload-calls.ts';
import { checkCallTime, checkRevisions, checkSweep } from '../boundary/pool-arguments.ts';
import { checkPut } from '../boundary/record-arguments.ts';
import { checkFifoLimits } from '../boundary/submissions.ts';
import { exportLines, importLines } from '../boundary/transfer-calls.ts';
import { checkName } from '../boundary/verdicts.ts';
import type {
  ChainOptions,
  ClaimOptions,
  DropOptions,
  ReadContext,
  ReadOptions,
  ReleaseOptions,
  WriteOptions,
} from '../contract/call-options.ts';
import type { DropReason } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedRevision } from '../contract/pool-driver.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type { PutOptions, PutOutcome } from '../contract/records.ts';
import type * as store from '../contract/store.ts';
import type { LogEntry, StoredTransaction, TransactionStatus } from '../contract/transaction.ts';
import type { ImportOptions, ImportOutcome, Lines } from '../contract/transfer.ts';
import type { SubmitOptions } from '../contract/validation.ts';
import { Application } from './application.ts';
import type { Batched, CallTrace } from './batches.ts';
import { BestWalk, type BestWalkOptions } from './best-walk.ts';
import { Changes } from './changes.ts';
import { type ConfirmedNow, readConfirmed } from './confirmed.ts';
import type { Gossip, GossipOptions } from './gossip.ts';
import { InvalidHashes } from './invalid-hashes.ts';
import {
  begun,
  checkLogWalk,
  checkSeqWalk,
  type LogWalkOptions,
  type SeqWalkOptions,
  type Walked,
  walkBySeq,
  walkLog,
} from './pages.ts';
import { PoolCalls } from './pool-calls.ts';
import { PoolReads } from './pool-reads.ts';
import { checkRecheck, type Recheck, Rechecker, type RecheckOptions } from './recheck.ts';
import { Submitter } from './submitter.ts';
import { Sweeper } from './sweeper.ts';
import type { Waited, WaitOptions } from './waiters.ts';
import { Waiting } from './waiting.ts';
import { resolveWorkOptions, type WorkDone, type WorkHandler, type WorkOptions } from './work-options.ts';
import { Worker } from './worker.ts';

/**
 * A pool of transactions, from their arrival until the chain has made them final. `open` of a backend and `openMempool`
 * return it. Each call that changes the pool is one atomic step (X1). Ids such as L1 name the rules in `docs/contract.md` and `docs/priority.md`.
 *
 * Calls for one transaction that are made in one turn of the event loop are stored together (O6). Calls take effect in the
 * order made (M2). Reads of pages and counts see every write that was answered.
 *
 * @throws `ERR_MEMPOOL_INVALID` if an argument is wrong; the message names it, and nothing was written (M2)
 * @throws `ERR_MEMPOOL_CLOSED` after `close` (R2)
 * @throws `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already
 * @throws `ERR_MEMPOOL_UNAVAILABLE` if the store could not be reached in time; nothing was sent (X5)
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the answer was lost; repeat the call with the same operation id (X5)
 * @throws `ERR_MEMPOOL_STORE_FULL` if there is no room for the write; nothing changed (M3)
 */
export class Mempool extends PoolReads implements AsyncDisposable {
  readonly #calls: PoolCalls;
  /** For the pool's own walks, waits and looks. */
  readonly #reads: PoolReads;
  readonly #application: Application | null;
  readonly #submitter: Submitter;
  readonly #changes: Changes;
  readonly #waiting: Waiting;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | null = null;

  constructor(parts: CallRunnerParts, options: PoolOptions) {
    const { validate } = options;
    const calls = new PoolCalls(parts, options);
    super(calls, true);
    this.#calls = calls;
    this.#reads = new PoolReads(calls, false);
    this.#changes = new Changes(calls);
    this.#waiting = new Waiting(calls, this.#reads);
    this.#application = validate === null ? null : new Application(validate, new InvalidHashes(options));
    this.#submitter = new Submitter({
      calls,
      application: this.#application,
      status: (hash, context) => this.#status(hash, context, null),
      tip: () => this.#reads.tip(),
    });
    this.#sweeper = new Sweeper({
      options,
      reads: this.#reads,
      sweep: () => calls.observed('sweep', () => this.#sweep(undefined)),
      woken: () => this.#waiting.wake(),
    });
  }

  /**
   * Adds one transaction to the pool (L1, L2), after `validate` has accepted it. The payload is copied (M1). A
   * submission that has a verdict is not validated. A refusal is an outcome, not an error.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const { kind } = await pool.submit({ hash, payload });
   */
  submit(submission: verbs.Submission, options?: SubmitOptions): Promise<store.ReceiveOutcome> {
    return this.#calls.observed('submit', (trace) => this.#submitter.submit(submission, options, trace));
  }

  /**
   * Adds at most 1,000 transactions in one step, in the order given (L1, L2, L13), without the ones that `validate` refuses or
   * that are too large. Payloads are copied before the call returns to the event loop, so the caller may reuse its
   * buffers at once (M1). Returns one outcome for each transaction, in the order given.
   * @throws `ERR_MEMPOOL_INVALID` naming the field; any error of `validate`
   * @example const outcomes = await pool.receive(transactions, { from: peerId });
   */
  receive(submissions: readonly verbs.Submission[], options?: SubmitOptions): Promise<store.ReceiveOutcome[]> {
    return this.#calls.observed('receive', (trace) => this.#submitter.receive(submissions, options, trace));
  }

  /**
   * Returns the status of one transaction, or of each of up to 1,000 hashes in the order given (O3).
   * @example const { stage, confirmations } = await pool.status(hash);
   */
  override status(hash: string, options?: ReadOptions): Promise<TransactionStatus>;
  override status(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]>;
  override status(
    which: string | readonly string[],
    options?: ReadOptions,
  ): Promise<TransactionStatus | TransactionStatus[]> {
    if (typeof which !== 'string') return this.#calls.whole('status', which, () => this.#reads.status(which, options));
    return this.#calls.observed('status', async (trace) =>
      this.#status(checkHash('hash', which), checkRead(options), trace),
    );
  }

  /**
   * Moves Pending transactions to Propagated, which means sent to the network (L3). Transactions in another stage do not
   * change. For one hash it returns true if it moved; for a list, the hashes that moved, in the order given.
   * @example await pool.markInflight(hash);
   */
  markInflight(hash: string, options?: WriteOptions): Promise<boolean>;
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markInflight(which: string | readonly string[], options?: WriteOptions): Promise<boolean | string[]> {
    return this.#changes.move('markInflight', which, options, callNames.write);
  }

  /**
   * Moves Propagated transactions to Acknowledged, which means accepted by a peer (L4). For one hash it returns true if it
   * moved; for a list, the hashes that moved, in the order given.
   */
  markAcknowledged(hash: string, options?: ClaimOptions): Promise<boolean>;
  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  markAcknowledged(which: string | readonly string[], options?: ClaimOptions): Promise<boolean | string[]> {
    return this.#changes.move('markAcknowledged', which, options, callNames.claim);
  }

  /**
   * Ends Propagated and Acknowledged transactions as Finalized without a block (L15). No
   * rollback undoes it, and it needs no lease. For one hash it returns true if it moved; for a list, the hashes that moved,
   * in the order given.
   * @example await pool.complete(hash, { claim: claimId });
   */
  complete(hash: string, options?: ClaimOptions): Promise<boolean>;
  complete(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  complete(which: string | readonly string[], options?: ClaimOptions): Promise<boolean | string[]> {
    return this.#changes.move('complete', which, options, callNames.claim);
  }

  /**
   * Moves Propagated and Acknowledged transactions back to Pending, for another attempt (L4). They keep their `seq`, so their
   * position does not change. For one hash it returns true if it moved; for a list, the hashes that moved, in the order given.
   * @example await pool.release(hash, { claim: claimId, notBeforeMs: Date.now() + 5_000 }); // again in 5 s (P19, P20)
   */
  release(hash: string, options?: ReleaseOptions): Promise<boolean>;
  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]>;
  release(which: string | readonly string[], options?: ReleaseOptions): Promise<boolean | string[]> {
    return this.#changes.move('release', which, options, callNames.release);
  }

  /**
   * Drops transactions that are Pending, Propagated or Acknowledged, and writes them to the terminal log (L10). `reason` is
   * one of `poolReasons`, or `{ app }` with a string of 1–256 characters. For one hash it returns true if it was dropped; for a
   * list, the hashes that were dropped, in the order given.
   * @example await pool.drop(hash, { app: 'withdrawn by its sender' });
   */
  drop(hash: string, reason: DropReason, options?: DropOptions): Promise<boolean>;
  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]>;
  drop(which: string | readonly string[], reason: DropReason, options?: DropOptions): Promise<boolean | string[]> {
    return this.#changes.drop(which, reason, options);
  }

  /**
   * Applies one block (L5, L6, X3, X6): confirms the transactions in `seen`, returns the ones in `unseen` to Pending, and
   * finalizes or drops transactions by age.
   * @example const { kind } = await pool.confirm({ point, parent, seen: hashes }); // 'applied'
   */
  confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    return this.#calls.whole('confirm', null, () =>
      this.#calls.underLease(options, callNames.chain, (context) => {
        const checked = checkBlock(block, policy, this.#calls.opened.thresholds);
        if (this.ordering === 'fifo' && checked.provides.length > 0)
          throw unsupported('a fifo pool does not support tags (block.provides)');
        const bound = withDigest(context, 'confirm', () => blockParts(checked, policy));
        return this.#calls.driver.confirm(checked, bound);
      }),
    );
  }

  /**
   * Undoes the blocks after a point that was applied earlier. `'origin'` undoes every block that is kept (L9, X6).
   * @example const outcome = await pool.rollback(forkPoint); // outcome.kind === 'rolled-back'
   */
  rollback(target: store.RollbackTarget, options?: ChainOptions): Promise<store.RollbackOutcome> {
    return this.#calls.whole('rollback', null, () =>
      this.#calls.underLease(options, callNames.chain, (context) => {
        const checked = checkTarget(target);
        const bound = withDigest(context, 'rollback', () => [pointPart(checked)]);
        return this.#calls.driver.rollback(checked, bound);
      }),
    );
  }

  /**
   * Selects transactions as `reap` does, moves them to Propagated and puts them under a claim of `owner`, in one step. A
   * repeated call with the same operation id returns the transactions that are still under the claim.
   * @example const claim = await pool.take({ maxTxs: 10 }, { owner: 'worker-1', claimMs: 30_000, payloads: true });
   */
  take(budget: verbs.Budget, options: verbs.TakePayloadsOptions): Promise<verbs.ClaimWithPayloads>;
  take(budget: verbs.Budget, options: verbs.TakeOptions): Promise<verbs.Claim>;
  take(
    budget: verbs.Budget,
    options: verbs.TakeOptions | verbs.TakePayloadsOptions,
  ): Promise<verbs.Claim | verbs.ClaimWithPayloads> {
    // P20: a transaction that it wakes makes no event.
    return this.#waking(
      this.#calls.whole('take', null, () => takeFrom(this.#calls, budget, this.#calls.timed(options))),
    );
  }

  /**
   * Extends a claim: it ends `claimMs` from now, or at its present end if that is later (P19). A worker that needs longer
   * calls it before the claim ends.
   * @example const { kind } = await pool.extendClaim(claim.claimId, 30_000); // 'extended'
   */
  extendClaim(claimId: string, claimMs: number, options?: verbs.ExtendOptions): Promise<verbs.ExtendOutcome> {
    return this.#calls.whole('extendClaim', null, () =>
      extendClaimOf(this.#calls, claimId, claimMs, this.#calls.timed(options)),
    );
  }

  /**
   * Ends claims whose time is over, wakes transactions that were held back until now, and drops transactions that waited or were
   * in flight too long (P9). With `overLimits` it also drops transactions until the limits hold.
   */
  sweep(options?: verbs.SweepOptions): Promise<verbs.Sweep> {
    return this.#waking(this.#calls.whole('sweep', null, () => this.#sweep(options)));
  }

  /** Drops all Pending transactions in one step, with the reason `flushed`. Returns their number. */
  flush(options?: WriteOptions): Promise<number> {
    return this.#calls.whole('flush', null, () =>
      this.#calls.write(options, callNames.write, (context) =>
        this.#calls.verb('flush')(withDigest(context, 'flush', () => [])),
      ),
    );
  }

  /** Sets the given limits, for every node, and evicts nothing. Returns all limits (in a fifo pool only `maxTxs`). */
  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    return this.#calls.whole('setLimits', null, () =>
      this.#calls.write(options, callNames.write, (context) => {
        const named = checkLimits(limits);
        if (this.ordering === 'fifo') checkFifoLimits(named);
        const bound = withDigest(context, 'setLimits', () => [fieldsPart(named)]);
        return this.#calls.verb('setLimits')(named, bound);
      }),
    );
  }

  /** Applies new verdicts. Returns one outcome for each revision, in the order given. Priority pools only. */
  revise(revisions: readonly verbs.Revision[], options?: verbs.ReviseOptions): Promise<verbs.ReviseOutcome[]> {
    return this.#revise(revisions, () => checkRevisions(revisions), options);
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
      const { height } = this.#calls.timed(options) ?? {};
      return new Rechecker({
        pool: this,
        application: this.#application,
        revise: (revisions, to) => this.#revise(revisions, () => revisions, to),
        ...checkRecheck({ ...options, height }),
      }).run();
    });
  }

  /** Drops the sender's live transactions that are not Confirmed, at most 1,000 in one step. Priority pools only. */
  dropBySender(sender: string, reason: DropReason, options?: WriteOptions): Promise<verbs.SenderDrop> {
    return this.#calls.whole('dropBySender', null, () =>
      this.#calls.write(options, callNames.write, (context) => {
        const whose = checkName('sender', sender, 1);
        const why = checkReason(reason);
        const bound = withDigest(context, 'dropBySender', () => [whose, why]);
        return this.#calls.verb('dropBySender')(whose, why, bound);
      }),
    );
  }

  /**
   * Stores the bytes under the name, or deletes the record if `value` is `null`, in one atomic step (K1–K3). A name has
   * 1–256 characters, a value at most 1 MiB. With `lease`, the outcome is `fenced` unless that lease is the live one.
   * @example const { kind } = await pool.putRecord('nonces/0xa1', bytes, { version }); // 'stored' or 'conflict'
   */
  putRecord(name: string, value: Uint8Array | null, options?: PutOptions): Promise<PutOutcome> {
    return this.#calls.observed('putRecord', () =>
      this.#calls.underLease(options, callNames.put, (context) => {
        const put = checkPut(name, value, options?.version);
        const bound = withDigest(context, 'putRecord', () => [putPart(put)]);
        return this.#calls.verb('putRecord')(put, bound);
      }),
    );
  }

  /**
   * Returns the whole pool as lines of JSON, without line ends (D3). It reads page by page, so it needs little memory. The
   * last line has `changed: true` if other calls changed the pool meanwhile.
   * @example for await (const line of pool.export()) file.write(`${line}\n`);
   * @throws `ERR_MEMPOOL_CORRUPT` naming a damaged transaction in flight, which may be mined; or other damaged data (M2)
   */
  export(options?: ReadOptions): AsyncIterable<string> {
    return exportLines(this.#calls, options);
  }

  /**
   * Fills an empty pool with the lines of an export, of a pool of the same ordering on any backend (D3). Until the last line
   * is stored, every other verb rejects with `ERR_MEMPOOL_IN_USE`. Repeat an interrupted call with the same lines: it goes
   * on where the first one stopped. The pool keeps its own epoch, so cursors of the other pool are not valid here.
   * @example await target.import(createInterface({ input: createReadStream('pool.ndjson') }));
   * @throws `ERR_MEMPOOL_INVALID` naming `lines`, with the number of a line that is missing or was edited;
   * `ERR_MEMPOOL_UNSUPPORTED` if the backend lacks the capability `import`
   */
  import(lines: Lines, options?: ImportOptions): Promise<ImportOutcome> {
    return this.#calls.whole('import', null, () => importLines(this.#calls, lines, options));
  }

  /**
   * Waits until the transaction has reached the given stage or a later one (`reached`), is Dropped (`dropped`), or
   * `timeoutMs` is over (`timeout`). Returns its status then (R3). The hash may be unknown at first. All waits share one
   * subscription.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error at the first read, or at
   * the read when the time is over
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
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was created again since
   * @example for await (const { hash, payload } of pool.pending()) await broadcast(hash, payload);
   */
  pending(options?: SeqWalkOptions): AsyncIterable<StoredTransaction & Walked> {
    return begun(() => walkBySeq(this.#reads, 'peekPending', checkSeqWalk(options)));
  }

  /**
   * Iterates over all transactions in flight by seq, page by page (O1). It skips damaged ones (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was created again since
   */
  inflight(options?: SeqWalkOptions): AsyncIterable<StoredTransaction & Walked> {
    return begun(() => walkBySeq(this.#reads, 'peekInflight', checkSeqWalk(options)));
  }

  /**
   * Iterates over the ready transactions, best first, without payloads, while the pool changes (P25). `markInvalid` skips a
   * transaction and its descendants in this walk only. Priority pools only. If an argument is wrong, the first step fails
   * with `ERR_MEMPOOL_INVALID`.
   * @example for await (const { hash } of walk) if (!(await execute(hash))) walk.markInvalid(hash);
   */
  bestIterator(options?: BestWalkOptions): BestWalk {
    return new BestWalk(this.#reads, options);
  }

  /**
   * Returns the transactions that are confirmed or final now, in the order of their blocks, as of one commit of the pool
   * (O9). It reads all transactions in flight, the log, and the events that other calls write meanwhile. It keeps about 200
   * bytes for each transaction that it returns.
   * @throws `ERR_MEMPOOL_BUSY` if the pool trims its events faster than they can be read
   * @example const { transactions, complete, cursor } = await pool.confirmed();
   */
  confirmed(options?: ReadOptions): Promise<ConfirmedNow> {
    return this.#calls.observed('confirmed', () => readConfirmed(this.#calls, this.#reads, options));
  }

  /**
   * Iterates over the terminal log from a cursor on, page by page (O4). The log is history: an entry stays if a rollback
   * returns its transaction; `confirmed` has the present state. It skips damaged entries (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if the pool was created again since
   */
  finalized(options?: LogWalkOptions): AsyncIterable<LogEntry & Walked> {
    return begun(() => walkLog(this.#reads, checkLogWalk(options)));
  }

  /**
   * Takes transactions and calls `handler` for each, at most `concurrency` at the same time, until `signal` aborts (P21).
   * Any number of processes may work on one pool. Claims are extended while handlers run.
   *
   * - If the handler returns, the transaction is acknowledged, or completed with `onSuccess: 'complete'`.
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
    const work = resolveWorkOptions(handler, options);
    const parts = { handler, work, calls: this.#calls, reads: this.#reads, waiting: this.#waiting, pool: this };
    return new Worker(parts).run();
  }

  /**
   * Sends all accepted calls and waits for them, ends the streams, rejects the waits that are left, and frees all resources
   * (R2). A second call does nothing.
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

  /** Single calls share a call of many. */
  #status(hash: string, context: ReadContext, trace: CallTrace | null): Promise<TransactionStatus> {
    const batched: Batched<string, TransactionStatus> = {
      name: 'status',
      kind: 'read',
      send: (hashes, { signal }) =>
        this.#calls.read({ signal }, callNames.read, (to) => this.#calls.driver.checkStatus(hashes, to)),
    };
    return this.#calls.single(batched, { item: hash, hash, bytes: 0, trace }, { ...context, operationId: undefined });
  }

  #sweep(options: verbs.SweepOptions | undefined): Promise<verbs.Sweep> {
    const timed = this.#calls.timed(options);
    return this.#calls.write(timed, callNames.sweep, (context) => {
      const sweep = checkSweep(timed);
      const bound = withDigest(context, 'sweep', () => (sweep.overLimits ? ['overLimits'] : []));
      return this.#calls.returning(this.#calls.verb('sweep')(sweep, bound));
    });
  }

  #revise(
    given: unknown,
    read: () => readonly CheckedRevision[],
    options: verbs.ReviseOptions | undefined,
  ): Promise<verbs.ReviseOutcome[]> {
    const revise = (timed: verbs.ReviseOptions | undefined): Promise<verbs.ReviseOutcome[]> =>
      this.#calls.write(timed, callNames.moment, (context) => {
        const checked = read();
        const moment = checkCallTime(timed);
        if (checked.length === 0) return [];
        const bound = withDigest(context, 'revise', () => [hashesPart(checked.map(({ hash }) => hash))]);
        return this.#calls.verb('revise')(checked, moment, bound);
      });
    // A revision that makes a transaction ready makes no event.
    return this.#waking(this.#calls.whole('revise', given, () => revise(this.#calls.timed(options))));
  }

  /** Wakes the waiters after a change that may write no event. */
  async #waking<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const answered = await answer;
    this.#waiting.wake();
    return answered;
  }
}
