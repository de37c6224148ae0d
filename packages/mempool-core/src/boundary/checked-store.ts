import type { Awaitable, WriteContext } from '../contract/call-context.ts';
import type {
  ChainOptions,
  LogQuery,
  ReadOptions,
  SeqQuery,
  SubscribeOptions,
  TipOptions,
  WriteOptions,
} from '../contract/call-options.ts';
import type { Capabilities } from '../contract/capabilities.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { EventPage, EventSource, MempoolEvent } from '../contract/events.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import { clampLimit } from '../contract/page-rules.ts';
import type { CheckedCallTime, CheckedSubmission } from '../contract/pool-driver.ts';
import type * as pool from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { ChainPoint, StoredTransaction, TransactionStatus } from '../contract/transaction.ts';
import {
  checkBlock,
  checkHashes,
  checkLimit,
  checkPoint,
  checkReason,
  checkWrite,
  distinctHashes,
  maxCallTransactions,
} from './arguments.ts';
import { checkCount } from './basic-checks.ts';
import { settle, unsupported } from './call-errors.ts';
import { CheckedPool } from './checked-pool.ts';
import { EventStream, type StreamPosition } from './event-stream.ts';
import { checkFifoSubmissions } from './fifo-guard.ts';
import { callNames } from './option-names.ts';
import * as check from './pool-arguments.ts';
import { after, amongGiven, sameBlock, sameTarget, sameTransactions } from './repeated-operation.ts';
import {
  checkTransactions,
  isTooLarge,
  ownPayloads,
  type ReadSubmission,
  readSubmissions,
  withTooLarge,
} from './submissions.ts';

/** A store as its callers see it: checks, copies, abort, `close` and event streams around an author's verbs. */
export class CheckedStore extends CheckedPool implements store.MempoolStore {
  readonly #events: EventSource;
  readonly #streams = new Set<EventStream>();
  /** Of the pool, as it was last found to be made. */
  #epoch: string | null = null;

  constructor(name: string, capabilities: Capabilities, driver: StoreDriver, options: DriverOptions) {
    super(name, capabilities, driver, options);
    this.#events = {
      readEvents: (after, limit) => settle(() => driver.readEvents(after, limit)),
      onEvents: (listener) => driver.onEvents(listener),
    };
  }

  receive(submissions: readonly pool.Submission[], options?: pool.ReceiveOptions): Promise<store.ReceiveOutcome[]> {
    let signal: AbortSignal | undefined;
    try {
      const context = checkWrite(options, callNames.moment);
      const moment = check.checkCallTime(options);
      ({ signal } = context);
      this.assertOpen(signal);
      return this.answer(this.#receive(readSubmissions(submissions), moment, context), signal);
    } catch (error) {
      return this.refusal(error, signal);
    }
  }

  async hasPending(options?: ReadOptions): Promise<boolean> {
    const { pending, load } = await this.usage(options);
    return pending > (load?.parked ?? 0);
  }

  peekPending(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.peek(query, (from, limit, context) => this.driver.peekPending(from, limit, context));
  }

  peekInflight(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.peek(query, (from, limit, context) => this.driver.peekInflight(from, limit, context));
  }

  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]> {
    return this.#move('markInflight', hashes, options);
  }

  markAcknowledged(hashes: readonly string[], options?: WriteOptions): Promise<string[]> {
    return this.#move('markAcknowledged', hashes, options);
  }

  release(hashes: readonly string[], options?: WriteOptions): Promise<string[]> {
    return this.#move('release', hashes, options);
  }

  drop(hashes: readonly string[], reason: string, options?: WriteOptions): Promise<string[]> {
    return this.write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      const why = checkReason(reason);
      if (checked.length === 0) return [];
      const dropped = this.driver.drop(checked, why, context);
      return context.operationId === undefined ? dropped : after(dropped, (told) => amongGiven(told, checked));
    });
  }

  findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.read(options, callNames.read, (context) =>
      this.driver.findInflight(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  confirm(block: store.Block, policy: store.Policy = {}, options?: ChainOptions): Promise<store.ConfirmOutcome> {
    return this.moveTip(options, (context) => {
      const checked = checkBlock(block, policy, this.options.thresholds);
      if (this.ordering === 'fifo' && checked.provides.length > 0)
        throw unsupported('a pool in order of arrival keeps no tags (block.provides)');
      const outcome = this.driver.confirm(checked, context);
      return context.operationId === undefined ? outcome : after(outcome, (told) => sameBlock(told, checked.point));
    });
  }

  rollback(point: ChainPoint | null, options?: ChainOptions): Promise<store.RollbackOutcome> {
    return this.moveTip(options, (context) => {
      const checked = point === null ? null : checkPoint('point', point);
      const outcome = this.driver.rollback(checked, context);
      return context.operationId === undefined ? outcome : after(outcome, (told) => sameTarget(told, checked));
    });
  }

  checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]> {
    return this.read(options, callNames.read, (context) =>
      this.driver.checkStatus(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  dumpFinalized(query?: LogQuery): Promise<store.LogPage> {
    return this.read(query, callNames.log, (context) => {
      const cursor = checkCount('cursor', query?.cursor ?? 0);
      const limit = clampLimit(checkLimit(query?.limit));
      return this.driver.dumpFinalized(cursor, limit, context);
    });
  }

  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>> {
    return this.read(options, callNames.subscribe, async ({ signal }) => {
      const given = options?.after;
      const from = given === undefined ? null : checkCount('after', given);
      const page = await this.#firstPage(from ?? Number.MAX_SAFE_INTEGER);
      signal?.throwIfAborted();
      const stream = new EventStream(this.#events, this.#start(from, page), signal, (ended) =>
        this.#streams.delete(ended),
      );
      this.#streams.add(stream);
      return stream;
    });
  }

  tip(options?: TipOptions): Promise<store.TipAnswer> {
    return this.read(options, callNames.tip, (context) =>
      this.driver.tip(checkCount('points', options?.points ?? 0), context),
    );
  }

  usage(options?: ReadOptions): Promise<store.Usage> {
    return this.read(options, callNames.read, (context) => this.driver.usage(context));
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

  /**
   * Where a stream begins. A number that the pool has not come to yet, or that another making of the pool gave, is one that the
   * stream will find to be lost (E3): whatever is committed until it looks.
   */
  #start(from: number | null, { last, epoch }: EventPage): StreamPosition {
    const before = this.#epoch ?? epoch;
    this.#epoch = epoch;
    if (from === null) return { after: last, epoch };
    return { after: from, epoch: from > last ? notMade : before };
  }

  #receive(
    read: readonly ReadSubmission[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<store.ReceiveOutcome[]> {
    const { maxTxBytes } = this.options;
    const given = this.ordering === 'priority' ? check.checkSubmissions(read) : checkFifoSubmissions(read);
    if (checkTransactions(given, maxTxBytes) === 0) return this.#send(given, moment, context);
    const fitting = given.filter((each) => !isTooLarge(each, maxTxBytes));
    return after(this.#send(fitting, moment, context), (told) => withTooLarge(given, told, maxTxBytes));
  }

  #send(
    given: readonly (ReadSubmission | CheckedSubmission)[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<store.ReceiveOutcome[]> {
    if (given.length === 0) return [];
    const { driver } = this;
    const own = driver.copiesPayloads ? given : ownPayloads(given);
    const outcomes =
      this.ordering === 'priority'
        ? this.verb('admit')(own as readonly CheckedSubmission[], moment, context)
        : driver.receive(own, context);
    return context.operationId === undefined ? outcomes : after(outcomes, (told) => sameTransactions(told, given));
  }

  #move(verb: MoveVerb, hashes: readonly string[], options?: WriteOptions): Promise<string[]> {
    return this.write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      if (checked.length === 0) return [];
      const moved = this.driver.move(verb, checked, context);
      return context.operationId === undefined ? moved : after(moved, (told) => amongGiven(told, checked));
    });
  }
}

/** Of no epoch that a backend makes. */
const notMade = '';
