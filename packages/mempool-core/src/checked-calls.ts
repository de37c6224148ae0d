import { checkChainWrite, checkLimit, checkWrite } from './arguments.ts';
import { inContract, noLeases, unsupported } from './call-guard.ts';
import type { Capabilities } from './capabilities.ts';
import { checkCount } from './count.ts';
import type { Awaitable, ChainContext, DriverOptions, ReadContext, StoreDriver, WriteContext } from './driver.ts';
import { invalid, MempoolError } from './errors.ts';
import { clampLimit } from './ordering.ts';
import type { Ordering } from './priority/limits.ts';
import type { PriorityVerbs } from './priority/priority-verbs.ts';
import type * as store from './store.ts';
import type { StoredTransaction } from './transaction.ts';

const noOptions: WriteContext = Object.freeze({ operationId: undefined, signal: undefined });

/** How every verb of a store runs: checked, counted, ended by its signal, refused once the store is closing. */
export class CheckedCalls {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Private, as what a driver holds is not for a log that is given the store. */
  readonly #driver: StoreDriver;
  readonly #options: DriverOptions;
  protected closing: Promise<void> | null = null;
  #calls = 0;
  #onIdle: (() => void) | null = null;

  constructor(name: string, capabilities: Capabilities, driver: StoreDriver, options: DriverOptions) {
    this.name = name;
    this.capabilities = capabilities;
    this.#driver = driver;
    this.#options = options;
  }

  protected get driver(): StoreDriver {
    return this.#driver;
  }

  protected get options(): DriverOptions {
    return this.#options;
  }

  get ordering(): Ordering {
    return this.options.ordering;
  }

  /** Resolves when no call runs. */
  protected async idle(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  protected verb<V extends keyof PriorityVerbs>(name: V): PriorityVerbs[V] {
    const verb = this.driver[name];
    if (verb === undefined)
      throw unsupported(`${name} is not a verb of a pool ordered by ${this.ordering} on the backend ${this.name}`);
    return verb.bind(this.driver) as PriorityVerbs[V];
  }

  protected peek(
    query: store.SeqQuery,
    read: (after: number, limit: number, context: ReadContext) => Awaitable<StoredTransaction[]>,
  ): Promise<StoredTransaction[]> {
    return this.read(query, (context) => {
      const after = checkCount('after', query.after ?? 0);
      const limit = clampLimit(checkLimit(query.limit));
      return read(after, limit, context);
    });
  }

  protected write<T>(options: store.WriteOptions = {}, run: (context: WriteContext) => Awaitable<T>): Promise<T> {
    return this.call(options, () => run(checkWrite(options)));
  }

  protected moveTip<T>(options: store.ChainOptions = {}, run: (context: ChainContext) => Awaitable<T>): Promise<T> {
    return this.call(options, () => {
      const context = checkChainWrite(options);
      if (context.lease !== null && !this.capabilities.lease) throw noLeases(this.name);
      return run(context);
    });
  }

  /** What reads has no point of no return: its signal ends it at once, whatever the driver still waits for (R3). */
  protected async read<T>(options: store.ReadOptions = {}, run: (context: ReadContext) => Awaitable<T>): Promise<T> {
    const signal = options?.signal;
    if (signal === undefined) return this.call(options, run);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.call({ signal }, run), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Runs up to the driver without an await: order is kept, bytes are ours. What a driver answers at once is not waited for:
   * in memory that would cost as much as the call.
   */
  protected call<T>(options: store.ReadOptions, run: (context: ReadContext) => Awaitable<T>): Promise<T> {
    try {
      this.#assertOpen(options);
      const { signal } = options;
      return this.answer(run({ signal }), signal);
    } catch (error) {
      return this.refusal(error, options?.signal);
    }
  }

  /** Where a write begins that makes no closure for each call. @throws what refuses the call */
  protected begin(options: store.WriteOptions | undefined): WriteContext {
    if (options !== undefined) {
      this.#assertOpen(options);
      return checkWrite(options);
    }
    this.#assertOpen(noOptions);
    return noOptions;
  }

  protected answer<T>(answer: Awaitable<T>, signal: AbortSignal | undefined): Promise<T> {
    return isPending(answer) ? this.#counted(answer, signal) : Promise.resolve(answer);
  }

  protected refusal(error: unknown, signal: AbortSignal | undefined): Promise<never> {
    return Promise.reject(inContract(error, signal));
  }

  #assertOpen(options: store.ReadOptions): void {
    if (typeof options !== 'object' || options === null) throw invalid('options', 'an object');
    if (this.closing !== null) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the store is closed');
    options.signal?.throwIfAborted();
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
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer) && 'then' in answer;
}
