import { checkHash, checkHashes, checkRead } from '../boundary/arguments.ts';
import { callNames } from '../boundary/option-names.ts';
import type { LogQuery, ReadOptions, SeqQuery, SubscribeOptions, TipOptions } from '../contract/call-options.ts';
import { MempoolError } from '../contract/errors.ts';
import type { MempoolEvent } from '../contract/events.ts';
import type { Ordering } from '../contract/limits.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { LogEntry, StoredTransaction, Transaction, TransactionStatus } from '../contract/transaction.ts';
import { ChangeSignals } from './change-signal.ts';
import { Gossip, type GossipOptions } from './gossip.ts';
import { checkLogWalk, checkSeqWalk, type LogWalkOptions, type SeqWalkOptions, walkBySeq, walkLog } from './pages.ts';
import { checkGoal, Waiters, type WaitOptions } from './waiters.ts';
import { Watch } from './watch.ts';

/**
 * The reading part of `Mempool`: queries, streams and waits. Reads go straight to the store. They see every write that
 * was answered, but no write that still waits in the queue.
 */
export abstract class MempoolReader {
  readonly #store: store.AnyStore;
  readonly #waiters: Waiters;
  readonly #changeSignals: ChangeSignals;
  #isClosing = false;

  constructor(on: store.AnyStore) {
    this.#store = on;
    this.#waiters = new Waiters(on);
    this.#changeSignals = new ChangeSignals(on);
  }

  /** The order of the pool. */
  get ordering(): Ordering {
    return this.#store.ordering;
  }

  /** The store below, for verbs that this class does not offer. */
  get store(): store.AnyStore {
    return this.#store;
  }

  /**
   * Waits until the transaction is at the stage asked for or a later one, or is Dropped. Returns its status then (R3).
   * The hash may be unknown at first. All waits share one subscription.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error at the first read
   * @example const { stage } = await pool.waitFor(hash, { stage: 'Confirmed', confirmations: 6 });
   */
  async waitFor(hash: string, options?: WaitOptions): Promise<TransactionStatus> {
    this.assertOpen();
    const { signal } = checkRead(options, callNames.wait);
    const goal = checkGoal(options);
    checkHash('hash', hash);
    signal?.throwIfAborted();
    return this.#waiters.wait(hash, goal, signal);
  }

  /**
   * Waits until the pool has a transaction that is Pending and ready to propagate. Resolves at once if it has one.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED` if the pool closes first; the store's error
   */
  async waitForPending(options?: ReadOptions): Promise<void> {
    this.assertOpen();
    const { signal } = checkRead(options);
    signal?.throwIfAborted();
    const changes = await this.#changeSignals.hold(signal);
    try {
      for (let { version } = changes; !(await this.#store.hasPending({ signal })); { version } = changes)
        await changes.next(version, signal);
    } finally {
      this.#changeSignals.release(changes);
    }
  }

  /**
   * Delivers the current status of each hash, then each change of its stage. `break` or an abort ends it at once.
   * @example for await (const { hash, stage } of pool.watch([hash])) console.log(hash, stage);
   */
  watch(hashes: readonly string[], options?: ReadOptions): AsyncIterable<TransactionStatus> {
    return begun(() => {
      const own = checkHashes('hashes', hashes, Number.POSITIVE_INFINITY);
      return new Watch(this.#store, own, checkRead(options));
    });
  }

  /**
   * The transactions to send to one peer, as they become ready. Keep its `cursor` and give it as `after` to resume. For
   * priority pools. If an argument is bad, the first page fails with `ERR_MEMPOOL_INVALID`.
   */
  gossip(peer: string, options?: GossipOptions): Gossip {
    return new Gossip(this.#store, this.#changeSignals, peer, options);
  }

  /**
   * All Pending transactions by seq, over all pages (O1).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   * @example for await (const { hash, payload } of pool.pending()) await broadcast(hash, payload);
   */
  pending(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#store, 'peekPending', checkSeqWalk(options)));
  }

  /**
   * All transactions in flight by seq, over all pages (O1).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   */
  inflight(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#store, 'peekInflight', checkSeqWalk(options)));
  }

  /**
   * The terminal log from a cursor on, over all pages (O4).
   * @throws `ERR_MEMPOOL_CORRUPT` at a damaged record, without `onCorrupt`
   */
  finalized(options?: LogWalkOptions): AsyncIterable<LogEntry> {
    return begun(() => walkLog(this.#store, checkLogWalk(options)));
  }

  /** True if the pool has a transaction to propagate (O2). */
  async hasPending(options?: ReadOptions): Promise<boolean> {
    return this.#reading().hasPending(options);
  }

  /** One page of Pending transactions by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekPending(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekPending(query);
  }

  /** One page of the transactions in flight by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekInflight(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekInflight(query);
  }

  /** One page of the transactions that wait for a parent, by seq. @throws `ERR_MEMPOOL_CORRUPT` */
  async peekParked(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekParked(query);
  }

  /** Transactions in flight, in the order of the hashes; `null` for any other hash. @throws `ERR_MEMPOOL_CORRUPT` */
  async findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#reading().findInflight(hashes, options);
  }

  /** The live transactions, in the order of the hashes; `null` for any other hash. @throws `ERR_MEMPOOL_CORRUPT` */
  async payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | null)[]> {
    return this.#reading().payloads(hashes, options);
  }

  /** The statuses of at most 1,000 transactions, in the order of the hashes (O3). */
  async checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.#reading().checkStatus(hashes, options);
  }

  /** One page of the terminal log (O4). @throws `ERR_MEMPOOL_CORRUPT` */
  async dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.#reading().dumpFinalized(query);
  }

  /**
   * Selects ready transactions that fit into a block, best first; in a fifo pool oldest first. Changes nothing.
   * @example const candidates = await pool.reap({ maxBytes: 90_112, maxGas: 14_000_000 });
   */
  async reap(budget?: verbs.Budget, options?: ReadOptions): Promise<verbs.Candidate[]> {
    return this.#reading().reap(budget, options);
  }

  /** One page of ready transactions, best first. Priority pools only. */
  async best(query?: verbs.BestQuery): Promise<verbs.RankedCandidate[]> {
    return this.#reading().best(query);
  }

  /**
   * One page of the transactions that became ready after a gossip number, for peers. In a fifo pool: that arrived after
   * a seq. `gossip` waits for more.
   */
  async since(gossipSeq: number, query?: verbs.GossipQuery): Promise<verbs.GossipPage> {
    return this.#reading().since(gossipSeq, query);
  }

  /**
   * One page of the transactions whose verdict is older than a height, the oldest verdict first. Use `recheck` to
   * validate them again. Priority pools only.
   */
  async stale(query: verbs.StaleQuery): Promise<verbs.StaleTransaction[]> {
    return this.#reading().stale(query);
  }

  /** Delivers every event of the pool, written by any node (E3, E4). */
  async subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#reading().subscribe(options);
  }

  /** Returns the last block applied (X4). */
  async tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.#reading().tip(options);
  }

  /** Returns how much the pool holds. Calls that still wait in the queue are not counted. */
  async usage(options?: ReadOptions): Promise<store.Usage> {
    return this.#reading().usage(options);
  }

  /** Wakes all waiters after a change that writes no event. */
  protected wake(): void {
    this.#changeSignals.notify();
  }

  protected assertOpen(): void {
    if (this.#isClosing) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }

  /** Closes the store after all accepted calls have been sent. Rejects the waits that are left. */
  protected async end(sent: Promise<void>): Promise<void> {
    this.#isClosing = true;
    await sent;
    try {
      await this.#store.close();
    } catch (error) {
      this.#waiters.failAll(error);
      throw error;
    }
    await this.#waiters.close();
  }

  #reading(): store.AnyStore {
    this.assertOpen();
    return this.#store;
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
