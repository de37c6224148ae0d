import { randomUUID } from 'node:crypto';
import {
  checkBlock,
  checkChainWrite,
  checkHashes,
  checkLimit,
  checkPoint,
  checkReason,
  checkTransactions,
  checkWrite,
  copyTransactions,
  distinctHashes,
  maxCallTransactions,
} from './arguments.ts';
import type { Capabilities } from './capabilities.ts';
import { checkCount } from './count.ts';
import type { Awaitable, ChainContext, DriverOptions, ReadContext, StoreDriver, WriteContext } from './driver.ts';
import { invalid, isMempoolError, MempoolError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { EventSource, MempoolEvent } from './events.ts';
import type { MoveVerb } from './lifecycle.ts';
import { type OpenOptions, resolveOptions } from './options.ts';
import { clampLimit } from './ordering.ts';
import type { Limits, Ordering } from './priority/limits.ts';
import { namedLimits } from './priority/limits.ts';
import type * as pool from './priority/pool-verbs.ts';
import * as check from './priority/priority-arguments.ts';
import type { PriorityVerbs } from './priority/priority-verbs.ts';
import { checkVerdict, saysNothing } from './priority/verdict.ts';
import type * as store from './store.ts';
import type { ChainPoint, StoredTransaction, Transaction, TransactionStatus } from './transaction.ts';

/** A backend: a value with three members. */
export interface Backend<Own extends object = object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** @throws `ERR_MEMPOOL_INVALID`, `ERR_MEMPOOL_UNAVAILABLE`, `ERR_MEMPOOL_INCOMPATIBLE` and what the backend adds */
  open(options?: OpenOptions & Own): Promise<store.MempoolStore>;
}

/** What an author gives to `defineBackend`. */
export interface BackendDefinition<Own extends object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  open(options: DriverOptions & Own): Awaitable<StoreDriver>;
}

/** Puts around an author's verbs what all backends share: checks, copies, abort, `close`, event streams. */
export function defineBackend<Own extends object = object>(definition: BackendDefinition<Own>): Backend<Own> {
  const { name } = definition;
  const capabilities = Object.freeze({ ...definition.capabilities });
  return {
    name,
    capabilities,
    async open(options = {} as OpenOptions & Own) {
      if (typeof options !== 'object' || options === null) throw invalid('options', 'an object');
      const resolved = { ...options, ...resolveOptions(options) };
      if (resolved.fenced && !capabilities.lease) throw noLeases(name);
      if (resolved.ordering === 'priority' && !capabilities.priority)
        throw unsupported(`the backend ${name} has no priority pools`);
      if (resolved.ordering === 'fifo') checkArrivalLimits(resolved.limits);
      const driver = await settle(() => definition.open(resolved));
      return new CheckedStore(name, capabilities, driver, resolved);
    },
  };
}

/** An error that is neither ours nor the caller's own abort is the backend's fault: it keeps the cause, gains a code (R1). */
function inContract(error: unknown, signal?: AbortSignal): unknown {
  if (isMempoolError(error) || (signal?.aborted && error === signal.reason)) return error;
  const message = error instanceof Error ? error.message : 'the backend failed';
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message, { cause: error });
}

async function settle<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw inContract(error);
  }
}

function noLeases(name: string): MempoolError {
  return unsupported(`the backend ${name} checks no leases`);
}

function unsupported(message: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_UNSUPPORTED', message);
}

/** What a pool in order of arrival would have to forget. */
function checkArrival(submissions: readonly pool.Submission[]): void {
  for (const [i, { verdict, from }] of submissions.entries()) {
    if (verdict === undefined && from === undefined) continue;
    if (from === undefined && saysNothing(checkVerdict(`transactions[${i}].verdict`, verdict))) continue;
    throw unsupported(`a pool in order of arrival keeps no verdicts and no sources (transactions[${i}])`);
  }
}

function checkArrivalLimits({ maxTxs: _, ...others }: Partial<Limits>): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw unsupported(`a pool in order of arrival has no ${name}`);
}

class CheckedStore implements store.MempoolStore {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly #driver: StoreDriver;
  readonly #options: DriverOptions;
  readonly #events: EventSource;
  readonly #streams = new Set<EventStream>();
  #calls = 0;
  #onIdle: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(name: string, capabilities: Capabilities, driver: StoreDriver, options: DriverOptions) {
    this.name = name;
    this.capabilities = capabilities;
    this.#driver = driver;
    this.#events = {
      readEvents: (after, limit) => settle(() => driver.readEvents(after, limit)),
      onEvents: (listener) => driver.onEvents(listener),
    };
    this.#options = options;
  }

  get ordering(): Ordering {
    return this.#options.ordering;
  }

  receive(submissions: readonly pool.Submission[], options?: pool.ReceiveOptions): Promise<store.ReceiveOutcome[]> {
    return this.#write(options, (context) => {
      const checked = checkTransactions(submissions, this.#options.maxTxBytes);
      if (this.ordering === 'priority') {
        const moment = check.checkMoment(options ?? {});
        const given = check.checkSubmissions(checked);
        if (given.length === 0) return [];
        return this.#verb('admit')(this.#driver.copiesPayloads ? given : check.ownPayloads(given), moment, context);
      }
      checkArrival(checked);
      if (checked.length === 0) return [];
      return this.#driver.receive(this.#driver.copiesPayloads ? checked : copyTransactions(checked), context);
    });
  }

  async hasPending(options?: store.ReadOptions): Promise<boolean> {
    const { pending, load } = await this.usage(options);
    return pending > (load?.parked ?? 0);
  }

  peekPending(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.#peek(query, (after, limit, context) => this.#driver.peekPending(after, limit, context));
  }

  peekInflight(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.#peek(query, (after, limit, context) => this.#driver.peekInflight(after, limit, context));
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
    return this.#write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      const why = checkReason(reason);
      return checked.length === 0 ? [] : this.#driver.drop(checked, why, context);
    });
  }

  findInflight(hashes: readonly string[], options?: store.ReadOptions): Promise<(StoredTransaction | null)[]> {
    return this.#read(options, (context) => {
      const checked = [...checkHashes('hashes', hashes, maxCallTransactions)];
      return this.#driver.findInflight(checked, context);
    });
  }

  confirm(block: store.Block, policy: store.Policy = {}, options?: store.ChainOptions): Promise<store.ConfirmOutcome> {
    return this.#moveTip(options, (context) => {
      const checked = checkBlock(block, policy, this.#options.thresholds);
      if (this.ordering === 'fifo' && checked.provides.length > 0)
        throw unsupported('a pool in order of arrival keeps no tags (block.provides)');
      return this.#driver.confirm(checked, context);
    });
  }

  rollback(point: ChainPoint | null, options?: store.ChainOptions): Promise<store.RollbackOutcome> {
    return this.#moveTip(options, (context) => {
      const checked = point === null ? null : checkPoint('point', point);
      return this.#driver.rollback(checked, context);
    });
  }

  checkStatus(hashes: readonly string[], options?: store.ReadOptions): Promise<TransactionStatus[]> {
    return this.#read(options, (context) => {
      const checked = [...checkHashes('hashes', hashes, maxCallTransactions)];
      return this.#driver.checkStatus(checked, context);
    });
  }

  dumpFinalized(query: store.LogQuery = {}): Promise<store.LogPage> {
    return this.#read(query, (context) => {
      const cursor = checkCount('cursor', query.cursor ?? 0);
      const limit = clampLimit(checkLimit(query.limit));
      return this.#driver.dumpFinalized(cursor, limit, context);
    });
  }

  subscribe(options: store.SubscribeOptions = {}): Promise<AsyncIterable<MempoolEvent>> {
    return this.#read(options, async ({ signal }) => {
      const after = options.after === undefined ? undefined : checkCount('after', options.after);
      const page = await this.#events.readEvents(after ?? Number.MAX_SAFE_INTEGER, 1);
      signal?.throwIfAborted();
      const start = { after: after ?? page.last, epoch: page.epoch };
      const stream = new EventStream(this.#events, start, signal, (ended) => this.#streams.delete(ended));
      this.#streams.add(stream);
      return stream;
    });
  }

  tip(options: store.TipOptions = {}): Promise<store.TipAnswer> {
    return this.#read(options, (context) => this.#driver.tip(checkCount('points', options.points ?? 0), context));
  }

  usage(options?: store.ReadOptions): Promise<store.Usage> {
    return this.#read(options, (context) => this.#driver.usage(context));
  }

  reap(budget: pool.Budget = {}, options?: store.ReadOptions): Promise<pool.Candidate[]> {
    return this.#read(options, (context) => this.#verb('reap')(check.checkBudget(budget), context));
  }

  best(query: pool.BestQuery = {}): Promise<pool.RankedCandidate[]> {
    return this.#read(query, (context) => {
      const after = check.checkKey(query.after);
      return this.#verb('best')(after, clampLimit(checkLimit(query.limit)), context);
    });
  }

  take(budget: pool.Budget, options: pool.TakeOptions): Promise<pool.Lot> {
    return this.#write(options, (context) => {
      if (options === undefined) throw invalid('options', 'an object with owner and leaseMs');
      const leaseId = context.operationId ?? randomUUID();
      const take = { budget: check.checkBudget(budget), leaseId, ...check.checkTake(options) };
      return this.#verb('take')(take, check.checkMoment(options), { ...context, operationId: leaseId });
    });
  }

  sweep(options: pool.SweepOptions = {}): Promise<pool.Sweep> {
    return this.#write(options, (context) => this.#verb('sweep')(check.checkMoment(options), context));
  }

  since(gossipSeq: number, query: pool.GossipQuery = {}): Promise<pool.GossipPage> {
    return this.#read(query, (context) => {
      const limit = clampLimit(checkLimit(query.limit));
      const checked = { ...check.checkGossip(gossipSeq, query), limit };
      if (this.ordering === 'fifo' && checked.except !== null)
        throw unsupported('a pool in order of arrival keeps no sources (except)');
      return this.#verb('since')(checked, context);
    });
  }

  payloads(hashes: readonly string[], options?: store.ReadOptions): Promise<(Transaction | null)[]> {
    return this.#read(options, (context) =>
      this.#verb('payloads')([...checkHashes('hashes', hashes, maxCallTransactions)], context),
    );
  }

  peekParked(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.#peek(query, (after, limit, context) => this.#verb('peekParked')(after, limit, context));
  }

  stale(query: pool.StaleQuery): Promise<pool.StaleTransaction[]> {
    return this.#read(query, (context) => {
      const height = checkCount('height', query?.height);
      return this.#verb('stale')(height, clampLimit(checkLimit(query.limit)), context);
    });
  }

  revise(revisions: readonly pool.Revision[], options: pool.ReviseOptions = {}): Promise<pool.ReviseOutcome[]> {
    return this.#write(options, (context) => {
      const checked = check.checkRevisions(revisions);
      const moment = check.checkMoment(options);
      return checked.length === 0 ? [] : this.#verb('revise')(checked, moment, context);
    });
  }

  flush(options?: store.WriteOptions): Promise<number> {
    return this.#write(options, (context) => this.#verb('flush')(context));
  }

  setLimits(limits: Partial<Limits>, options?: store.WriteOptions): Promise<Limits> {
    return this.#write(options, (context) => {
      if (typeof limits !== 'object' || limits === null) throw invalid('limits', 'an object');
      const named = namedLimits(limits);
      if (this.ordering === 'fifo') checkArrivalLimits(named);
      return this.#verb('setLimits')(named, context);
    });
  }

  dump(options?: store.ReadOptions): Promise<pool.PoolDump> {
    return this.#read(options, (context) => this.#verb('dumpPool')(context));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all([...this.#streams].map((stream) => stream.drain()));
    await settle(() => this.#driver.close());
  }

  #verb<V extends keyof PriorityVerbs>(name: V): PriorityVerbs[V] {
    const verb = this.#driver[name];
    if (verb === undefined)
      throw unsupported(`${name} is not a verb of a pool ordered by ${this.ordering} on the backend ${this.name}`);
    return verb.bind(this.#driver) as PriorityVerbs[V];
  }

  #move(verb: MoveVerb, hashes: readonly string[], options?: store.WriteOptions): Promise<string[]> {
    return this.#write(options, (context) => {
      const checked = distinctHashes('hashes', hashes, maxCallTransactions);
      return checked.length === 0 ? [] : this.#driver.move(verb, checked, context);
    });
  }

  #peek(
    query: store.SeqQuery,
    read: (after: number, limit: number, context: ReadContext) => Awaitable<StoredTransaction[]>,
  ): Promise<StoredTransaction[]> {
    return this.#read(query, (context) => {
      const after = checkCount('after', query.after ?? 0);
      const limit = clampLimit(checkLimit(query.limit));
      return read(after, limit, context);
    });
  }

  #write<T>(options: store.WriteOptions = {}, run: (context: WriteContext) => Awaitable<T>): Promise<T> {
    return this.#call(options, () => run(checkWrite(options)));
  }

  #moveTip<T>(options: store.ChainOptions = {}, run: (context: ChainContext) => Awaitable<T>): Promise<T> {
    return this.#call(options, () => {
      const context = checkChainWrite(options);
      if (context.lease !== null && !this.capabilities.lease) throw noLeases(this.name);
      return run(context);
    });
  }

  /** What reads has no point of no return: its signal ends it at once, whatever the driver still waits for (R3). */
  async #read<T>(options: store.ReadOptions = {}, run: (context: ReadContext) => Awaitable<T>): Promise<T> {
    const { signal } = options;
    if (signal === undefined) return this.#call(options, run);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#call({ signal }, run), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Runs up to the driver without an await: order is kept, bytes are ours. What a driver answers at once is not waited for:
   * in memory that would cost as much as the call.
   */
  #call<T>({ signal }: store.ReadOptions, run: (context: ReadContext) => Awaitable<T>): Promise<T> {
    try {
      if (this.#closing !== null) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the store is closed');
      signal?.throwIfAborted();
      const answer = run({ signal });
      return isPending(answer) ? this.#counted(answer, signal) : Promise.resolve(answer);
    } catch (error) {
      return Promise.reject(inContract(error, signal));
    }
  }

  /** Counts the call until the driver has ended it, so that `close` waits for it. */
  async #counted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.#calls += 1;
    try {
      return await answer;
    } catch (error) {
      throw inContract(error, signal);
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#onIdle?.();
    }
  }
}

function isPending<T>(answer: Awaitable<T>): answer is Promise<T> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}
