import {
  type Awaitable,
  after,
  type ChainContext,
  type ChainOptions,
  type ReadContext,
  type ReadOptions,
  type SeqQuery,
  type WriteContext,
  type WriteOptions,
} from '../contract/call-options.ts';
import type { OpenedOptions, StoreDriver } from '../contract/driver.ts';
import type { DriverPage } from '../contract/driver-page.ts';
import { MempoolError } from '../contract/errors.ts';
import { clampLimit } from '../contract/page-rules.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { RecordDriver } from '../contract/records.ts';
import type { Capabilities } from '../contract/store.ts';
import type { TransactionPage } from '../contract/transaction.ts';
import type { TransferDriver } from '../contract/transfer.ts';
import { checkChainWrite, checkLimit, checkRead, checkWrite } from './arguments.ts';
import { inContract, noLeases, unsupported } from './call-errors.ts';
import { checkCursor } from './cursors.ts';
import type { DamageNotes } from './damage-notes.ts';
import { type CallNames, callNames } from './option-names.ts';
import { transactionPage } from './page-answers.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The driver of an open pool, and how it was opened. */
export type CallRunnerParts = Pick<CallRunner, 'name' | 'capabilities' | 'driver' | 'opened' | 'damage'>;

type OptionalVerbs = PriorityVerbs & RecordDriver & TransferDriver;

/** Runs the calls of a pool: checks their options, ends them on abort, rejects them after `close`, and counts running ones. */
export class CallRunner {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly driver: StoreDriver;
  readonly opened: OpenedOptions;
  /** The damage that reads have met (M2). */
  readonly damage: DamageNotes;
  #isClosing = false;
  #calls = 0;
  #onIdle: (() => void) | null = null;

  constructor({ name, capabilities, driver, opened, damage }: CallRunnerParts) {
    this.name = name;
    this.capabilities = capabilities;
    this.driver = driver;
    this.opened = opened;
    this.damage = damage;
  }

  /** Rejects new calls from now on. Resolves when no call runs any more. */
  async end(): Promise<void> {
    this.#isClosing = true;
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Returns the driver's method for an optional verb. @throws `ERR_MEMPOOL_UNSUPPORTED` if the driver does not have it */
  verb<V extends keyof OptionalVerbs>(name: V): OptionalVerbs[V] {
    const verb = this.driver[name];
    if (verb === undefined)
      throw unsupported(`the backend ${this.name} does not support ${name} in a ${this.opened.ordering} pool`);
    return verb.bind(this.driver) as OptionalVerbs[V];
  }

  /** Runs a read of one page by `seq`. */
  peek(
    query: SeqQuery | undefined,
    read: (after: number, limit: number, context: ReadContext) => Awaitable<DriverPage>,
  ): Promise<TransactionPage> {
    return this.read(query, callNames.page, (context) => {
      const from = checkCursor('after', 'page', query?.after);
      const limit = clampLimit(checkLimit(query?.limit));
      const page = this.damage.past(
        (place) => read(place, limit, context),
        from.number,
        ({ transactions }) => transactions.length === 0,
      );
      return after(page, (found) => transactionPage(found, from));
    });
  }

  /** Runs a call that changes the pool. */
  write<T>(
    options: WriteOptions | undefined,
    names: CallNames,
    run: (context: WriteContext) => Awaitable<T>,
  ): Promise<T> {
    return this.changing(() => checkWrite(options, names), run);
  }

  /** Does the same with a context that `check` returns. */
  changing<C extends WriteContext, T>(check: () => C, run: (context: C) => Awaitable<T>): Promise<T> {
    return this.call(check, (context) => this.#mended(() => run(context)));
  }

  /** M2: before the call, damaged transactions that reads have found and that are Pending are dropped. */
  #mended<T>(run: () => Awaitable<T>): Awaitable<T> {
    const dropping = this.damage.drop(this.driver);
    return dropping === null ? run() : Promise.all([run(), dropping]).then(([answer]) => answer);
  }

  /** M2: after a call that may return transactions to Pending, the damaged ones among them are dropped. */
  returning<T>(answer: Awaitable<T>): Awaitable<T> {
    return after(answer, (given) => {
      const dropping = this.damage.dropReturned(this.driver);
      return dropping === null ? given : dropping.then(() => given);
    });
  }

  /** Runs a call that may have a lease. @throws `ERR_MEMPOOL_UNSUPPORTED` if it has one and the backend supports none */
  underLease<T>(
    options: ChainOptions | undefined,
    names: CallNames,
    run: (context: ChainContext) => Awaitable<T>,
  ): Promise<T> {
    return this.call(
      () => checkChainWrite(options, names),
      (context) => {
        if (context.lease !== null && !this.capabilities.lease) throw noLeases(this.name);
        return this.returning(this.#mended(() => run(context)));
      },
    );
  }

  /**
   * Runs a read. A read changes nothing, so an abort ends it at once, even if the driver still waits for the store
   * (R3).
   */
  read<T>(options: ReadOptions | undefined, names: CallNames, run: (context: ReadContext) => Awaitable<T>): Promise<T> {
    let ending: AbortSignal | undefined;
    const answer = this.call(() => {
      const context = checkRead(options, names);
      ending = context.signal;
      return context;
    }, run);
    return ending === undefined ? answer : unlessAborted(answer, ending);
  }

  /**
   * Checks the options and calls the driver without an `await` before it. So calls reach the driver in order, and
   * payloads are copied before the caller continues. A synchronous answer is not awaited, because in memory an await costs
   * as much as the call.
   */
  call<C extends ReadContext, T>(check: () => C, run: (context: C) => Awaitable<T>): Promise<T> {
    let signal: AbortSignal | undefined;
    try {
      const context = check();
      signal = context.signal;
      this.assertOpen(signal);
      return this.answer(run(context), signal);
    } catch (error) {
      return this.refusal(error, signal);
    }
  }

  /** Iterates over pages of the driver. Each page is a call of its own. */
  async *pages<P>(pages: AsyncIterable<P>, signal: AbortSignal | undefined): AsyncGenerator<P, undefined> {
    const source = pages[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.call(
          () => ({ signal }),
          () => source.next(),
        );
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await source.return?.();
    }
  }

  /** Returns the driver's answer as a promise. If the answer is still pending, `close` waits for it. */
  answer<T>(answer: Awaitable<T>, signal: AbortSignal | undefined): Promise<T> {
    return isPending(answer) ? this.#counted(answer, signal) : Promise.resolve(answer);
  }

  /** Returns a promise that rejects with the error, converted by `inContract`. */
  refusal(error: unknown, signal: AbortSignal | undefined): Promise<never> {
    return Promise.reject(inContract(error, signal));
  }

  /** Checks that a call may begin. @throws `ERR_MEMPOOL_CLOSED` after `close`; the signal's reason after an abort */
  assertOpen(signal?: AbortSignal): void {
    if (this.#isClosing) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
    signal?.throwIfAborted();
  }

  /** Counts the call as running until the driver ends it, so that `close` waits for it. */
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
