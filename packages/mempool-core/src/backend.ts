import {
  checkBlock,
  checkChainWrite,
  checkCount,
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
import type { Awaitable, ChainContext, DriverOptions, ReadContext, StoreDriver, WriteContext } from './driver.ts';
import { invalid, isMempoolError, MempoolError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { EventSource, MempoolEvent } from './events.ts';
import type { MoveVerb } from './lifecycle.ts';
import { type OpenOptions, resolveOptions } from './options.ts';
import { clampLimit } from './ordering.ts';
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
  return new MempoolError('ERR_MEMPOOL_UNSUPPORTED', `the backend ${name} checks no leases`);
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

  receive(transactions: readonly Transaction[], options?: store.WriteOptions): Promise<store.ReceiveOutcome[]> {
    return this.#write(options, (context) => {
      const checked = checkTransactions(transactions, this.#options.maxTxBytes);
      if (checked.length === 0) return [];
      return this.#driver.receive(this.#driver.copiesPayloads ? checked : copyTransactions(checked), context);
    });
  }

  async hasPending(options?: store.ReadOptions): Promise<boolean> {
    return (await this.usage(options)).pending > 0;
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
