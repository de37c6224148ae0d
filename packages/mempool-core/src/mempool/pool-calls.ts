import { asChecked } from '../boundary/checked-once.ts';
import type { ChainContext, ChainOptions, WriteContext, WriteOptions } from '../contract/call-options.ts';
import { MempoolError } from '../contract/errors.ts';
import type { AnyStore } from '../contract/store.ts';
import type { BatchedVerb } from './call-list.ts';
import { Coalescer, type Subject } from './coalescer.ts';
import type { ResolvedMempoolOptions } from './mempool-options.ts';
import { type CallTrace, faultOf, type Observer, outcomeOf } from './observer.ts';

/** Forwards the calls of a `Mempool` to its store, directly or through the queue. */
export class PoolCalls {
  readonly store: AnyStore;
  readonly #options: ResolvedMempoolOptions;
  readonly #coalescer: Coalescer;
  #isClosing = false;

  constructor(store: AnyStore, options: ResolvedMempoolOptions) {
    this.store = store;
    this.#options = options;
    this.#coalescer = new Coalescer(options);
  }

  /** The store, for a read that does not wait in the queue. @throws `ERR_MEMPOOL_CLOSED` */
  get reading(): AnyStore {
    this.assertOpen();
    return this.store;
  }

  /** Checks that the pool is open. @throws `ERR_MEMPOOL_CLOSED` */
  assertOpen(): void {
    if (this.#isClosing) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }

  /** Runs a call, and calls the observer when it has ended. Without an observer, `trace` is `null`. */
  observed<Answer>(verb: string, run: (trace: CallTrace | null) => Promise<Answer>): Promise<Answer> {
    const { observer } = this.#options;
    return observer === null ? run(null) : this.#observe(observer, verb, run);
  }

  /** Queues a call for one transaction. */
  single<Item, Answer>(
    verb: BatchedVerb<Item, Answer>,
    subject: Subject<Item>,
    context: WriteOptions,
  ): Promise<Answer> {
    return this.#coalescer.call(verb, subject, context);
  }

  /**
   * Queues a call for the whole pool. `context` and the arguments that `run` passes to the store are checked copies. `run`
   * receives options that include the fields of `more` and that the store does not check again.
   */
  async whole<Answer, More extends object = object>(
    context: WriteContext | ChainContext,
    run: (on: AnyStore, to: ChainOptions & More) => Promise<Answer>,
    more?: More,
  ): Promise<Answer> {
    const to = asChecked({ ...context, ...more }) as ChainOptions & More;
    return this.#coalescer.whole(() => run(this.store, to), context.signal);
  }

  /** Accepts no more calls. Closes the store after all accepted calls have been sent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#coalescer.close();
    await this.store.close();
  }

  async #observe<Answer>(
    observer: Observer,
    verb: string,
    run: (trace: CallTrace | null) => Promise<Answer>,
  ): Promise<Answer> {
    const { clock, log } = this.#options;
    const begun = clock();
    const trace: CallTrace = { size: 0, queued: null };
    const tell = (outcome: string): void => {
      try {
        const batch = trace.queued?.batch?.calls.length ?? trace.size;
        observer({ verb, outcome, durationMs: clock() - begun, batch, ...this.#coalescer.lengths });
      } catch (error) {
        log('warn', 'the observer failed', { error });
      }
    };
    try {
      const answer = await run(trace);
      tell(outcomeOf(answer));
      return answer;
    } catch (error) {
      tell(faultOf(error));
      throw error;
    }
  }
}

/** Records how many transactions a call has. */
export function noteSize(trace: CallTrace | null, size: number): void {
  if (trace !== null) trace.size = size;
}
