import { checkHashes, checkLimit } from '../boundary/arguments.ts';
import { checkCount, maxCallTransactions } from '../boundary/basic-checks.ts';
import { unsupported } from '../boundary/call-errors.ts';
import { checkCursor } from '../boundary/cursors.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import { gossipPage, logPage, usageOf } from '../boundary/page-answers.ts';
import { payloadsOf, reapFrom } from '../boundary/payload-calls.ts';
import { checkGossip, checkKey, checkSenderKey, checkTag } from '../boundary/pool-arguments.ts';
import { checkRecordName, checkRecordQuery } from '../boundary/record-arguments.ts';
import { checkName } from '../boundary/verdicts.ts';
import {
  type Awaitable,
  after,
  type LogQuery,
  type PageQuery,
  type ReadContext,
  type ReadOptions,
  type SeqQuery,
  type SubscribeOptions,
  type TipOptions,
} from '../contract/call-options.ts';
import type { MempoolEvent } from '../contract/events.ts';
import type { Ordering } from '../contract/limits.ts';
import { clampLimit } from '../contract/page-rules.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type { PoolValue, RecordPage, RecordQuery } from '../contract/records.ts';
import type * as store from '../contract/store.ts';
import type { StoredTransaction, Transaction, TransactionPage, TransactionStatus } from '../contract/transaction.ts';
import type { PoolCalls } from './pool-calls.ts';

/**
 * The verbs of a pool that only read. They see every write that was answered, but none that waits in a batch. A walk or a wait
 * of the pool has an object of its own, whose calls no observer sees.
 */
export class PoolReads {
  readonly #calls: PoolCalls;
  readonly #isObserved: boolean;

  constructor(calls: PoolCalls, isObserved: boolean) {
    this.#calls = calls;
    this.#isObserved = isObserved;
  }

  /** The name of the backend. */
  get name(): string {
    return this.#calls.name;
  }

  /** The optional features of the backend. */
  get capabilities(): store.Capabilities {
    return this.#calls.capabilities;
  }

  /** The order of the pool. */
  get ordering(): Ordering {
    return this.#calls.opened.ordering;
  }

  /** Returns the status of each of up to 1,000 hashes, in the order given (O3). */
  status(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.#read('status', options, callNames.read, (context) =>
      this.#calls.driver.checkStatus(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  /**
   * Selects ready transactions that fit the budget, best first (in a fifo pool oldest first). Changes nothing. With
   * `payloads` the list ends before a transaction that leaves the pool while the call reads (P32), and skips damaged ones (M2).
   * @example const block = await pool.reap({ maxGas: 30_000_000 }, { payloads: true, view: true });
   */
  reap(budget: verbs.Budget, options: verbs.ReapPayloadsOptions): Promise<verbs.ReapedTransaction[]>;
  reap(budget?: verbs.Budget, options?: verbs.ReapOptions): Promise<verbs.Candidate[]>;
  reap(budget: verbs.Budget = {}, options?: verbs.ReapOptions | verbs.ReapPayloadsOptions): Promise<verbs.Candidate[]> {
    return this.#observed('reap', () => reapFrom(this.#calls, budget, options));
  }

  /** True if at least one transaction is Pending (O2). */
  async hasPending(options?: ReadOptions): Promise<boolean> {
    const { pending, held, load } = await this.#observed('hasPending', () => this.#usage(options));
    return pending > (load?.parked ?? held);
  }

  /**
   * Returns a page of Pending transactions, ordered by `seq` (O1). It skips damaged ones (M2).
   * @example const { transactions, next } = await pool.peekPending({ after: page.next, limit: 500 });
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekPending(query?: SeqQuery): Promise<TransactionPage> {
    const { driver } = this.#calls;
    return this.#observed('peekPending', () =>
      this.#calls.peek(query, (from, limit, context) => driver.peekPending(from, limit, context)),
    );
  }

  /**
   * Returns a page of the transactions in flight (Propagated, Acknowledged, Confirmed), ordered by `seq` (O1).
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekInflight(query?: SeqQuery): Promise<TransactionPage> {
    const { driver } = this.#calls;
    return this.#observed('peekInflight', () =>
      this.#calls.peek(query, (from, limit, context) => driver.peekInflight(from, limit, context)),
    );
  }

  /** Returns a page of parked transactions, ordered by `seq`. In a fifo pool it is always empty. */
  peekParked(query?: SeqQuery): Promise<TransactionPage> {
    return this.#observed('peekParked', () =>
      this.#calls.peek(query, (from, limit, context) => this.#calls.verb('peekParked')(from, limit, context)),
    );
  }

  /**
   * Returns for each hash, in the order given, its transaction if that is in flight, else `null`. A damaged one is `null`,
   * too; its status tells its stage (M2).
   */
  findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#read('findInflight', options, callNames.read, (context) =>
      this.#calls.driver.findInflight(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  /** Returns for each hash, in the order given, its transaction if it is live, else `null`. A damaged one is `null`, too (M2). */
  payloads(hashes: readonly string[], options?: verbs.PayloadsOptions): Promise<(Transaction | null)[]> {
    return this.#observed('payloads', () => payloadsOf(this.#calls, hashes, options));
  }

  /**
   * Returns a page of the terminal log, oldest entry first (O4). It skips damaged entries (M2).
   * @throws `ERR_MEMPOOL_CURSOR` if `cursor` belongs to an earlier pool (O7)
   */
  dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.#read('dumpFinalized', query, callNames.log, (context) => {
      const from = checkCursor('cursor', 'log', query?.cursor);
      const page = this.#calls.driver.dumpFinalized(from.number, pageLimit(query), context);
      return after(page, (read) => logPage(read, from));
    });
  }

  /** Returns a page of ready transactions, best first. Priority pools only. */
  best(query?: verbs.BestQuery): Promise<verbs.RankedCandidate[]> {
    return this.#read('best', query, callNames.page, (context) => {
      const from = checkKey(query?.after);
      return this.#calls.verb('best')(from, pageLimit(query), context);
    });
  }

  /** Returns transactions that became ready (in a fifo pool, arrived) after this cursor, in that order (P10). */
  since(query?: verbs.GossipQuery): Promise<verbs.GossipPage> {
    return this.#read('since', query, callNames.since, (context) => {
      const from = checkCursor('after', 'gossip', query?.after);
      const checked = { ...checkGossip(query), limit: pageLimit(query) };
      if (this.ordering === 'fifo' && checked.except !== null)
        throw unsupported('a fifo pool does not support sources (except)');
      const since = this.#calls.verb('since');
      const page = this.#calls.damage.past(
        (place) => since({ ...checked, after: place }, context),
        from.number,
        ({ items }) => items.length === 0,
      );
      return after(page, (read) => gossipPage(read, from));
    });
  }

  /** Returns a page of transactions to validate again, the oldest verdict first. Priority pools only. */
  stale(query: verbs.StaleQuery): Promise<verbs.StaleTransaction[]> {
    return this.#read('stale', query, callNames.stale, (context) => {
      const height = checkCount('height', query?.height);
      return this.#calls.verb('stale')(height, pageLimit(query), context);
    });
  }

  /**
   * Returns a page of a sender's live transactions (in flight, then ready, then parked), and the gaps between them. Priority
   * pools only.
   * @example const { transactions, missing } = await pool.bySender('0xab…');
   */
  bySender(sender: string, query?: verbs.SenderQuery): Promise<verbs.SenderPage> {
    return this.#read('bySender', query, callNames.page, (context) => {
      const whose = checkName('sender', sender, 1);
      const from = checkSenderKey(query?.after);
      return this.#calls.verb('bySender')(whose, from, pageLimit(query), context);
    });
  }

  /** Returns the live transaction that provides a tag and those that require it. Priority pools only. */
  byTag(tag: string, query?: verbs.TagQuery): Promise<verbs.TagPage> {
    return this.#read('byTag', query, callNames.tag, (context) =>
      this.#calls.verb('byTag')(checkTag(tag), pageLimit(query), context),
    );
  }

  /** Returns the last block applied (X4). */
  tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.#read('tip', options, callNames.tip, (context) =>
      this.#calls.driver.tip(checkCount('points', options?.points ?? 0), context),
    );
  }

  /** Returns the size of the pool. The cost does not depend on that size. */
  usage(options?: ReadOptions): Promise<store.Usage> {
    return this.#observed('usage', () => this.#usage(options));
  }

  /**
   * Returns a stream of events. Once the promise resolves, the stream delivers the events of every later commit (E3).
   * `break` and `close` end it. After an abort, the loop throws the signal's reason (E4). With `hashes` it delivers the
   * events of those transactions only.
   * @example for await (const event of await pool.subscribe({ after: cursor })) handle(event);
   */
  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.#read('subscribe', options, callNames.subscribe, ({ signal }) => {
      const given = options?.after;
      const from = given === undefined ? null : checkCursor('after', 'events', given);
      const hashes = options?.hashes;
      const only = hashes && new Set(checkHashes('hashes', hashes, Number.POSITIVE_INFINITY));
      return this.#calls.subscriptions.open(from, signal, only);
    });
  }

  /**
   * Returns the record of that name; `null` if there is none (K1).
   * @throws `ERR_MEMPOOL_CORRUPT` if the record is damaged; `details.name` is its name (K4)
   */
  getRecord(name: string, options?: ReadOptions): Promise<PoolValue | null> {
    return this.#read('getRecord', options, callNames.read, (context) =>
      this.#calls.verb('getRecord')(checkRecordName(name), context),
    );
  }

  /**
   * Returns a page of the records whose name begins with `prefix`, in the order of the names' UTF-8 bytes (K4).
   * @example const { records, next } = await pool.listRecords('nonces/', { limit: 500 });
   * @throws `ERR_MEMPOOL_CORRUPT` if a record of the page is damaged; `details.name` is its name (K4)
   */
  listRecords(prefix: string, query?: RecordQuery): Promise<RecordPage> {
    return this.#read('listRecords', query, callNames.page, (context) =>
      this.#calls.verb('listRecords')(checkRecordQuery(prefix, query), context),
    );
  }

  #usage(options: ReadOptions | undefined): Promise<store.Usage> {
    return this.#calls.read(options, callNames.read, (context) => after(this.#calls.driver.usage(context), usageOf));
  }

  #read<T>(
    verb: string,
    options: ReadOptions | undefined,
    names: CallNames,
    run: (context: ReadContext) => Awaitable<T>,
  ): Promise<T> {
    return this.#observed(verb, () => this.#calls.read(options, names, run));
  }

  #observed<T>(verb: string, read: () => Promise<T>): Promise<T> {
    return this.#isObserved ? this.#calls.observed(verb, read) : read();
  }
}

function pageLimit(query: PageQuery | undefined): number {
  return clampLimit(checkLimit(query?.limit));
}
