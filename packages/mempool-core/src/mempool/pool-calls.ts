import type { CheckedStore } from '../boundary/checked-store.ts';
import type { PoolOptions } from '../boundary/open-options.ts';
import type { WriteOptions } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { Observer } from '../contract/observer.ts';
import type { CallTime } from '../contract/pool-verbs.ts';
import { type Batched, Batches, type CallTrace, type Subject } from './batches.ts';

/** Runs the calls of a pool: at once, or in batches with other calls for one transaction. */
export class PoolCalls {
  readonly store: CheckedStore;
  readonly options: PoolOptions;
  readonly #batches: Batches;
  #isClosing = false;

  constructor(store: CheckedStore, options: PoolOptions) {
    this.store = store;
    this.options = options;
    this.#batches = new Batches(options);
  }

  /** Checks that the pool is open. @throws `ERR_MEMPOOL_CLOSED` */
  assertOpen(): void {
    if (this.#isClosing) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }

  /** Runs a call, and calls the observer when it has ended. Without an observer, `trace` is `null`. */
  observed<Answer>(verb: string, run: (trace: CallTrace | null) => Promise<Answer>): Promise<Answer> {
    const { observer } = this.options;
    return observer === null ? run(null) : this.#observe(observer, verb, run);
  }

  /** Runs a read of pages or counts. It sees every write that was answered, but none that waits in a batch. */
  read<Answer>(verb: string, run: (store: CheckedStore) => Promise<Answer>): Promise<Answer> {
    return this.observed(verb, () => run(this.store));
  }

  /** Runs a call of the whole pool or of a list. It takes effect after every call made before it. */
  whole<Answer>(verb: string, list: unknown, run: (store: CheckedStore) => Promise<Answer>): Promise<Answer> {
    return this.observed(verb, (trace) => {
      // A list is read once (M1), so its length is read only for an observer.
      if (trace !== null && Array.isArray(list)) trace.size = list.length;
      return this.sent(run);
    });
  }

  /** Runs a call without a trace, after every call made before it. */
  sent<Answer>(run: (store: CheckedStore) => Promise<Answer>): Promise<Answer> {
    this.#batches.flush();
    try {
      return run(this.store);
    } catch (error) {
      // The option `height` is the application's function.
      return Promise.reject(error);
    }
  }

  /** Adds a call for one transaction to a batch. */
  async single<Item, Answer>(
    batched: Batched<Item, Answer>,
    subject: Subject<Item>,
    context: WriteOptions,
  ): Promise<Answer> {
    this.assertOpen();
    return this.#batches.add(batched, subject, context);
  }

  /** The options of a call with the height of the pool's option `height`, if the call names none. */
  timed<Options extends CallTime | undefined>(options: Options): Options {
    const { height } = this.options;
    if (height === null || (typeof options === 'object' && options?.height !== undefined)) return options;
    return { ...(options as Options & object), height: height() };
  }

  /** Accepts no more calls. Closes the store after all accepted calls have been sent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#batches.flush();
    await this.store.close();
  }

  async #observe<Answer>(
    observer: Observer,
    verb: string,
    run: (trace: CallTrace | null) => Promise<Answer>,
  ): Promise<Answer> {
    const { clock, log } = this.options;
    const begun = clock();
    const trace: CallTrace = { size: 0 };
    const report = (outcome: string): void => {
      try {
        observer({ verb, outcome, durationMs: clock() - begun, batch: trace.size, ...this.#batches.lengths });
      } catch (error) {
        log('warn', 'the observer failed', { error });
      }
    };
    try {
      const answer = await run(trace);
      report(outcomeOf(answer));
      return answer;
    } catch (error) {
      report(faultOf(error));
      throw error;
    }
  }
}

/** Records how many transactions a call has. */
export function noteSize(trace: CallTrace | null, size: number): void {
  if (trace !== null) trace.size = size;
}

/** Returns the outcome of an answer, for the observer. */
function outcomeOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('kind' in answer)) return 'ok';
  return String(answer.kind);
}

/** Returns the outcome of an error, for the observer. */
function faultOf(error: unknown): string {
  if (isMempoolError(error)) return error.code;
  const name = error instanceof Error ? error.name : '';
  return name === 'AbortError' || name === 'TimeoutError' ? 'aborted' : 'error';
}
