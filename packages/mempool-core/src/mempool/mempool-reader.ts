import { checkHash, checkHashes, checkRead } from '../boundary/arguments.ts';
import { callNames } from '../boundary/option-names.ts';
import type { LogQuery, ReadOptions, SeqQuery, SubscribeOptions, TipOptions } from '../contract/call-options.ts';
import { MempoolError } from '../contract/errors.ts';
import type { MempoolEvent } from '../contract/events.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { LogEntry, StoredTransaction, Transaction, TransactionStatus } from '../contract/transaction.ts';
import { ChangeSignals } from './change-signal.ts';
import { Gossip, type GossipOptions } from './gossip.ts';
import { checkLogWalk, checkSeqWalk, type LogWalkOptions, type SeqWalkOptions, walkBySeq, walkLog } from './pages.ts';
import { checkGoal, Waiters, type WaitOptions } from './waiters.ts';
import { Watch } from './watch.ts';

/** What can be asked of a pool and waited for. Reads go straight to the store and see what has been answered. */
export abstract class MempoolReader {
  readonly #store: store.MempoolStore;
  readonly #waiters: Waiters;
  readonly #changeSignals: ChangeSignals;
  #isClosing = false;

  constructor(on: store.MempoolStore) {
    this.#store = on;
    this.#waiters = new Waiters(on);
    this.#changeSignals = new ChangeSignals(on);
  }

  /** The store below, for what this class does not offer. */
  get store(): store.MempoolStore {
    return this.#store;
  }

  /**
   * Resolves at the stage asked for or beyond, or at Dropped, with the status then (R3). A hash that is unknown yet is waited
   * for as well. One subscription serves all who wait.
   *
   * @throws the signal's reason, `ERR_MEMPOOL_CLOSED` where the pool closes first
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
   * Resolves when something can be propagated: at once, or as soon as a transaction is Pending and ready.
   *
   * @throws the signal's reason, `ERR_MEMPOOL_CLOSED` where the pool closes first, what the store says
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

  /** The present status of each hash, then each change of its stage. `break` or abort ends it at once. */
  watch(hashes: readonly string[], options?: ReadOptions): AsyncIterable<TransactionStatus> {
    return begun(() => {
      const own = checkHashes('hashes', hashes, Number.POSITIVE_INFINITY);
      return new Watch(this.#store, own, checkRead(options));
    });
  }

  /**
   * What this peer is to be sent, as it becomes ready. Keep its `cursor` and give it as `after` to go on from there. Priority pools.
   * A bad argument is an `ERR_MEMPOOL_INVALID` of its first page.
   */
  gossip(peer: string, options?: GossipOptions): Gossip {
    return new Gossip(this.#store, this.#changeSignals, peer, options);
  }

  /** Every pending transaction by seq, over all pages (O1). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  pending(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#store, 'peekPending', checkSeqWalk(options)));
  }

  /** Everything in flight by seq, over all pages (O1). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  inflight(options?: SeqWalkOptions): AsyncIterable<StoredTransaction> {
    return begun(() => walkBySeq(this.#store, 'peekInflight', checkSeqWalk(options)));
  }

  /** The terminal log from a cursor on, over all pages (O4). @throws `ERR_MEMPOOL_CORRUPT` without `onCorrupt` */
  finalized(options?: LogWalkOptions): AsyncIterable<LogEntry> {
    return begun(() => walkLog(this.#store, checkLogWalk(options)));
  }

  /** Whether anything waits to be propagated (O2). */
  async hasPending(options?: ReadOptions): Promise<boolean> {
    return this.#reading().hasPending(options);
  }

  /** One page of pending transactions by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekPending(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekPending(query);
  }

  /** One page of what is in flight by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` */
  async peekInflight(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekInflight(query);
  }

  /** One page of what waits for a parent, by seq. @throws `ERR_MEMPOOL_CORRUPT` */
  async peekParked(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.#reading().peekParked(query);
  }

  /** The transactions in flight among these, in the order asked; `null` for any other. @throws `ERR_MEMPOOL_CORRUPT` */
  async findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#reading().findInflight(hashes, options);
  }

  /** The live transactions among these, in the order asked; `null` for any other. @throws `ERR_MEMPOOL_CORRUPT` */
  async payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | null)[]> {
    return this.#reading().payloads(hashes, options);
  }

  /** What became of each of at most 1,000 hashes, in the order asked (O3). */
  async checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.#reading().checkStatus(hashes, options);
  }

  /** One page of the terminal log (O4). @throws `ERR_MEMPOOL_CORRUPT` */
  async dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.#reading().dumpFinalized(query);
  }

  /** What fits into a block, the best first; by arrival where that is the pool's order. Changes nothing. */
  async reap(budget?: verbs.Budget, options?: ReadOptions): Promise<verbs.Candidate[]> {
    return this.#reading().reap(budget, options);
  }

  /** One page of what is ready, the best first. Priority pools. */
  async best(query?: verbs.BestQuery): Promise<verbs.RankedCandidate[]> {
    return this.#reading().best(query);
  }

  /**
   * One page of what became ready behind a number, for peers; by arrival where that is the pool's order. `gossip` waits
   * for more.
   */
  async since(gossipSeq: number, query?: verbs.GossipQuery): Promise<verbs.GossipPage> {
    return this.#reading().since(gossipSeq, query);
  }

  /** What was last checked below a height, the longest unchecked first. `recheck` does the rest. Priority pools. */
  async stale(query: verbs.StaleQuery): Promise<verbs.StaleTransaction[]> {
    return this.#reading().stale(query);
  }

  /** Every event of the pool, whichever node made it (E3, E4). */
  async subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#reading().subscribe(options);
  }

  /** The last block applied (X4). */
  async tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.#reading().tip(options);
  }

  /** How much the pool holds. Calls that still wait here are not counted. */
  async usage(options?: ReadOptions): Promise<store.Usage> {
    return this.#reading().usage(options);
  }

  /** For what changes the pool without an event. */
  protected wake(): void {
    this.#changeSignals.notify();
  }

  protected assertOpen(): void {
    if (this.#isClosing) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }

  /** Closes the store when what was accepted has been sent, and tells those who still wait. */
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

  #reading(): store.MempoolStore {
    this.assertOpen();
    return this.#store;
  }
}

/** A walk whose arguments are bad fails when it is begun, as a call does. */
function begun<T>(walk: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return walk();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
