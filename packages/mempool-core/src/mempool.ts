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
import { invalid, MempoolError } from './errors.ts';
import type { MempoolEvent } from './events.ts';
import { checkGoal, type WaitOptions } from './goal.ts';
import { dropLane, moveLane, receiveLane, statusLane } from './lanes.ts';
import { defaultThresholds, type MoveVerb } from './lifecycle.ts';
import { type MempoolOptions, resolveMempoolOptions } from './mempool-options.ts';
import { type LogWalkOptions, type SeqWalkOptions, walkBySeq, walkLog } from './pages.ts';
import { screenedOutcomes } from './screening.ts';
import type * as store from './store.ts';
import type { ChainPoint, LogEntry, StoredTransaction, Transaction, TransactionStatus } from './transaction.ts';
import type { Refused, SubmitOutcome, Validate } from './validation.ts';
import { Waiters } from './waiters.ts';
import { Watch } from './watch.ts';

/**
 * A pool for one transaction at a time, on any store: calls made in one turn of the event loop become one store call (O6).
 * Calls about one hash, and submissions among themselves, take effect in the order made (M2); whole-pool writes (`receive`,
 * lists of hashes, `confirm`, `rollback`) come after every call made before them. Reads of pages and counts go straight to
 * the store and see what has been answered.
 *
 * @throws as `MempoolStore`, and `ERR_MEMPOOL_BUSY` where `maxQueued` calls wait already
 */
export class Mempool implements AsyncDisposable {
  readonly #store: store.MempoolStore;
  readonly #coalescer: Coalescer;
  readonly #waiters: Waiters;
  readonly #maxTxBytes: number;
  readonly #validate: Validate | undefined;
  readonly #receive: Lane<Transaction, store.ReceiveOutcome>;
  readonly #status: Lane<string, TransactionStatus>;
  readonly #moves: Readonly<Record<MoveVerb, Lane<string, boolean>>>;
  #closing: Promise<void> | null = null;

  /** Takes the store over: closing the pool closes it. */
  constructor(on: store.MempoolStore, options: MempoolOptions = {}) {
    const { maxTxBytes, validate, ...limits } = resolveMempoolOptions(options);
    this.#store = on;
    this.#maxTxBytes = maxTxBytes;
    this.#validate = validate;
    this.#coalescer = new Coalescer(limits);
    this.#waiters = new Waiters(on);
    this.#receive = receiveLane(on);
    this.#status = statusLane(on);
    this.#moves = {
      markInflight: moveLane(on, 'markInflight'),
      markAcknowledged: moveLane(on, 'markAcknowledged'),
      release: moveLane(on, 'release'),
    };
  }

  /** The store below, for what this class does not offer. */
  get store(): store.MempoolStore {
    return this.#store;
  }

  /** Takes one transaction in (L1, L2), after the application's check where there is one. The payload is copied (M1). */
  async submit(transaction: Transaction, options: store.WriteOptions = {}): Promise<SubmitOutcome> {
    this.#assertOpen();
    checkTransaction(() => 'transaction', transaction, this.#maxTxBytes);
    const context = checkWrite(options);
    const own = copy(transaction);
    const refused = this.#validate === undefined ? null : await this.#refusal(this.#validate, own, context);
    if (refused !== null) return refused;
    const { hash, payload } = own;
    return this.#coalescer.call(this.#receive, { item: own, hash, bytes: payload.length }, context);
  }

  /** What became of one transaction (O3). */
  async status(hash: string, options: store.ReadOptions = {}): Promise<TransactionStatus> {
    return this.#single(this.#status, hash, { signal: options.signal });
  }

  /** Takes in at most 1,000 transactions in one step; those the application refuses stay out. */
  async receive(transactions: readonly Transaction[], options: store.WriteOptions = {}): Promise<SubmitOutcome[]> {
    this.#assertOpen();
    if (!Array.isArray(transactions) || transactions.length > maxCallTransactions)
      throw invalid('transactions', `an array of at most ${maxCallTransactions} transactions`);
    for (const [i, transaction] of transactions.entries())
      checkTransaction(() => `transactions[${i}]`, transaction, this.#maxTxBytes);
    const own = transactions.map(copy);
    const context = checkWrite(options);
    const validate = this.#validate;
    if (validate === undefined) return this.#whole((on, to) => on.receive(own, to), context);
    const refusals = await Promise.all(own.map((each) => this.#refusal(validate, each, context)));
    const accepted = own.filter((_, i) => refusals[i] === null);
    const outcomes = await this.#whole((on, to) => on.receive(accepted, to), context);
    return screenedOutcomes(own, refusals, outcomes);
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
    if (typeof which === 'string') return this.#single(dropLane(this.#store, reason), which, options);
    const hashes = [...checkHashes('hashes', which, maxCallTransactions)];
    return this.#whole((on, to) => on.drop(hashes, reason, to), options);
  }

  /** Applies one block (L5, L6, X3, X6). */
  async confirm(
    block: store.Block,
    policy: store.Policy = {},
    options: store.ChainOptions = {},
  ): Promise<store.ConfirmOutcome> {
    const { point, parent, seen, unseen } = checkBlock(block, policy, defaultThresholds);
    const own = { point, parent: parent ?? undefined, seen, unseen };
    const thresholds = { ...policy };
    return this.#whole((on, to) => on.confirm(own, thresholds, to), options);
  }

  /** Moves the tip back to a point applied earlier; `null` undoes all that is kept (L9, X6). */
  async rollback(point: ChainPoint | null, options: store.ChainOptions = {}): Promise<store.RollbackOutcome> {
    const own = point === null ? null : checkPoint('point', point);
    return this.#whole((on, to) => on.rollback(own, to), options);
  }

  /**
   * Resolves at the stage asked for or beyond, or at Dropped, with the status then (R3). A hash that is unknown yet is waited
   * for as well. One subscription serves all who wait.
   *
   * @throws the signal's reason, `ERR_MEMPOOL_CLOSED` where the pool closes first
   */
  async waitFor(hash: string, options: WaitOptions = {}): Promise<TransactionStatus> {
    this.#assertOpen();
    const goal = checkGoal(options);
    checkHash('hash', hash);
    options.signal?.throwIfAborted();
    return this.#waiters.wait(hash, goal, options.signal);
  }

  /** The present status of each hash, then each change of its stage. `break` or abort ends it at once. */
  watch(hashes: readonly string[], options: store.ReadOptions = {}): AsyncIterable<TransactionStatus> {
    return new Watch(this.#store, checkHashes('hashes', hashes, Number.POSITIVE_INFINITY), options);
  }

  /** Every pending transaction by seq, over all pages (O1). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  pending(options: SeqWalkOptions = {}): AsyncIterable<StoredTransaction> {
    return walkBySeq(this.#store, 'peekPending', options);
  }

  /** Everything in flight by seq, over all pages (O1). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  inflight(options: SeqWalkOptions = {}): AsyncIterable<StoredTransaction> {
    return walkBySeq(this.#store, 'peekInflight', options);
  }

  /** The terminal log from a cursor on, over all pages (O4). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  finalized(options: LogWalkOptions = {}): AsyncIterable<LogEntry> {
    return walkLog(this.#store, options);
  }

  /** Whether anything waits to be propagated (O2). */
  async hasPending(options?: store.ReadOptions): Promise<boolean> {
    return this.#reading().hasPending(options);
  }

  /** One page of pending transactions by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekPending(query?: store.SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekPending(query);
  }

  /** One page of what is in flight by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekInflight(query?: store.SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekInflight(query);
  }

  /** The transactions in flight among these, in the order asked; `null` for any other. @throws `ERR_MEMPOOL_CORRUPT` */
  async findInflight(hashes: readonly string[], options?: store.ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#reading().findInflight(hashes, options);
  }

  /** What became of each of at most 1,000 hashes, in the order asked (O3). */
  async checkStatus(hashes: readonly string[], options?: store.ReadOptions): Promise<TransactionStatus[]> {
    return this.#reading().checkStatus(hashes, options);
  }

  /** One page of the terminal log (O4). @throws `ERR_MEMPOOL_CORRUPT` */
  async dumpFinalized(query?: store.LogQuery): Promise<store.LogPage> {
    return this.#reading().dumpFinalized(query);
  }

  /** Every event of the pool, whichever node made it (E3, E4). */
  async subscribe(options?: store.SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#reading().subscribe(options);
  }

  /** The last block applied (X4). */
  async tip(options?: store.TipOptions): Promise<store.TipAnswer> {
    return this.#reading().tip(options);
  }

  /** How much the pool holds. Calls that still wait here are not counted. */
  async usage(options?: store.ReadOptions): Promise<store.Usage> {
    return this.#reading().usage(options);
  }

  /** Sends what was accepted, closes the store, ends the streams, and tells those who still wait. Twice is fine (R2). */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await this.#coalescer.close();
    try {
      await this.#store.close();
    } catch (error) {
      this.#waiters.failAll(error);
      throw error;
    }
    await this.#waiters.close();
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
    return this.#coalescer.whole(() => run(this.#store, { ...context, lease: lease ?? undefined }), context.signal);
  }

  /** A transaction that the pool has is not checked again: its answer comes from the store. */
  async #refusal(validate: Validate, transaction: Transaction, options: store.WriteOptions): Promise<Refused | null> {
    const { hash } = transaction;
    const { stage } = await this.status(hash, options);
    if (stage !== 'Unknown' && stage !== 'Dropped') return null;
    const verdict = await validate(copy(transaction));
    return verdict.kind === 'refused' ? { kind: 'refused', hash, reason: verdict.reason } : null;
  }

  #reading(): store.MempoolStore {
    this.#assertOpen();
    return this.#store;
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }
}

function copy({ hash, payload, payloadType }: Transaction): Transaction {
  return { hash, payload: Buffer.from(payload), payloadType };
}
