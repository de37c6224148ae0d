import {
  checkBlock,
  checkHashes,
  checkLimit,
  checkPoint,
  checkReason,
  checkTransactions,
  copyTransactions,
  distinctHashes,
  maxCallTransactions,
} from './arguments.ts';
import { checkArrival } from './arrival-guard.ts';
import { settle, unsupported } from './call-guard.ts';
import type { Capabilities } from './capabilities.ts';
import { CheckedPool } from './checked-pool.ts';
import { checkCount } from './count.ts';
import type { Awaitable, DriverOptions, StoreDriver, WriteContext } from './driver.ts';
import { isMempoolError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { EventPage, EventSource, MempoolEvent } from './events.ts';
import type { MoveVerb } from './lifecycle.ts';
import { clampLimit } from './ordering.ts';
import type * as pool from './priority/pool-verbs.ts';
import * as check from './priority/priority-arguments.ts';
import type * as store from './store.ts';
import type { ChainPoint, StoredTransaction, TransactionStatus } from './transaction.ts';

/** A store as its callers see it: checks, copies, abort, `close` and event streams around an author's verbs. */
export class CheckedStore extends CheckedPool implements store.MempoolStore {
  readonly #events: EventSource;
  readonly #streams = new Set<EventStream>();

  constructor(name: string, capabilities: Capabilities, driver: StoreDriver, options: DriverOptions) {
    super(name, capabilities, driver, options);
    this.#events = {
      readEvents: (after, limit) => settle(() => driver.readEvents(after, limit)),
      onEvents: (listener) => driver.onEvents(listener),
    };
  }

  receive(submissions: readonly pool.Submission[], options?: pool.ReceiveOptions): Promise<store.ReceiveOutcome[]> {
    try {
      const context = this.begin(options);
      return this.answer(this.#receive(submissions, options, context), context.signal);
    } catch (error) {
      return this.refusal(error, options?.signal);
    }
  }

  async hasPending(options?: store.ReadOptions): Promise<boolean> {
    const { pending, load } = await this.usage(options);
    return pending > (load?.parked ?? 0);
  }

  peekPending(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.peek(query, (after, limit, context) => this.driver.peekPending(after, limit, context));
  }

  peekInflight(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.peek(query, (after, limit, context) => this.driver.peekInflight(after, limit, context));
  }

  markInflight(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]> {
    return this.#move('markInflight', hashes, options);
  }

  markAcknowledged(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]> {
    return this.#move('markAcknowledged', hashes, options);
  }

  release(hashes: readonly string[], options?: store.WriteOptions): Promise<string[]> {
    return this.#move('release', hashes, options);
  }

  drop(hashes: readonly string[], reason: string, options?: store.WriteOptions): Promise<string[]> {
    return this.write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      const why = checkReason(reason);
      return checked.length === 0 ? [] : this.driver.drop(checked, why, context);
    });
  }

  findInflight(hashes: readonly string[], options?: store.ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.read(options, (context) => {
      const checked = [...checkHashes('hashes', hashes, maxCallTransactions)];
      return this.driver.findInflight(checked, context);
    });
  }

  confirm(block: store.Block, policy: store.Policy = {}, options?: store.ChainOptions): Promise<store.ConfirmOutcome> {
    return this.moveTip(options, (context) => {
      const checked = checkBlock(block, policy, this.options.thresholds);
      if (this.ordering === 'fifo' && checked.provides.length > 0)
        throw unsupported('a pool in order of arrival keeps no tags (block.provides)');
      return this.driver.confirm(checked, context);
    });
  }

  rollback(point: ChainPoint | null, options?: store.ChainOptions): Promise<store.RollbackOutcome> {
    return this.moveTip(options, (context) => {
      const checked = point === null ? null : checkPoint('point', point);
      return this.driver.rollback(checked, context);
    });
  }

  checkStatus(hashes: readonly string[], options?: store.ReadOptions): Promise<TransactionStatus[]> {
    return this.read(options, (context) => {
      const checked = [...checkHashes('hashes', hashes, maxCallTransactions)];
      return this.driver.checkStatus(checked, context);
    });
  }

  dumpFinalized(query: store.LogQuery = {}): Promise<store.LogPage> {
    return this.read(query, (context) => {
      const cursor = checkCount('cursor', query.cursor ?? 0);
      const limit = clampLimit(checkLimit(query.limit));
      return this.driver.dumpFinalized(cursor, limit, context);
    });
  }

  subscribe(options: store.SubscribeOptions = {}): Promise<AsyncIterable<MempoolEvent>> {
    return this.read(options, async ({ signal }) => {
      const after = options.after === undefined ? undefined : checkCount('after', options.after);
      const page = await this.#firstPage(after ?? Number.MAX_SAFE_INTEGER);
      signal?.throwIfAborted();
      const start = { after: after ?? page.last, epoch: page.epoch };
      const stream = new EventStream(this.#events, start, signal, (ended) => this.#streams.delete(ended));
      this.#streams.add(stream);
      return stream;
    });
  }

  tip(options: store.TipOptions = {}): Promise<store.TipAnswer> {
    return this.read(options, (context) => this.driver.tip(checkCount('points', options.points ?? 0), context));
  }

  usage(options?: store.ReadOptions): Promise<store.Usage> {
    return this.read(options, (context) => this.driver.usage(context));
  }

  close(): Promise<void> {
    this.closing ??= this.#close();
    return this.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A damaged event is told by the stream, as missed. */
  async #firstPage(after: number): Promise<EventPage> {
    try {
      return await this.#events.readEvents(after, 1);
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      return this.#events.readEvents(Number.MAX_SAFE_INTEGER, 1);
    }
  }

  async #close(): Promise<void> {
    await this.idle();
    await Promise.all([...this.#streams].map((stream) => stream.drain()));
    await settle(() => this.driver.close());
  }

  #receive(
    submissions: readonly pool.Submission[],
    options: pool.ReceiveOptions | undefined,
    context: WriteContext,
  ): Awaitable<store.ReceiveOutcome[]> {
    const { driver } = this;
    const checked = checkTransactions(submissions, this.options.maxTxBytes);
    if (this.ordering === 'priority') {
      const moment = check.checkMoment(options ?? {});
      const given = check.checkSubmissions(checked);
      if (given.length === 0) return [];
      return this.verb('admit')(driver.copiesPayloads ? given : check.ownPayloads(given), moment, context);
    }
    checkArrival(checked);
    if (checked.length === 0) return [];
    return driver.receive(driver.copiesPayloads ? checked : copyTransactions(checked), context);
  }

  #move(verb: MoveVerb, hashes: readonly string[], options?: store.WriteOptions): Promise<string[]> {
    return this.write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      return checked.length === 0 ? [] : this.driver.move(verb, checked, context);
    });
  }
}
