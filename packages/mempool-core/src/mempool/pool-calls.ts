import { settle } from '../boundary/call-errors.ts';
import { CallRunner, type CallRunnerParts } from '../boundary/call-runner.ts';
import type { PoolOptions } from '../boundary/open-options.ts';
import { Subscriptions } from '../boundary/subscriptions.ts';
import type { WriteContext } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Observer } from '../contract/observer.ts';
import type { CallTime } from '../contract/pool-verbs.ts';
import { type Batched, Batches, type CallTrace, type Subject } from './batches.ts';

/** Runs the calls of a pool: at once, or in batches with other calls for one transaction. */
export class PoolCalls extends CallRunner {
  readonly options: PoolOptions;
  readonly subscriptions: Subscriptions;
  readonly #batches: Batches;

  constructor(parts: CallRunnerParts, options: PoolOptions) {
    super(parts);
    const { driver } = parts;
    this.options = options;
    this.#batches = new Batches(options);
    this.subscriptions = new Subscriptions({
      readEvents: (after, limit) => settle(() => driver.readEvents(after, limit)),
      onEvents: (listener) => driver.onEvents(listener),
    });
  }

  /** Runs a call, and calls the observer when it has ended. Without an observer, `trace` is `null`. */
  observed<Answer>(verb: string, run: (trace: CallTrace | null) => Promise<Answer>): Promise<Answer> {
    const { observer } = this.options;
    return observer === null ? run(null) : this.#observe(observer, verb, run);
  }

  /** Sends all calls that wait in batches, so that a call made next comes after them. */
  flush(): void {
    this.#batches.flush();
  }

  /** Runs a call of the whole pool or of a list. It takes effect after every call made before it. */
  whole<Answer>(verb: string, list: unknown, run: () => Promise<Answer>): Promise<Answer> {
    return this.observed(verb, (trace) => {
      // A list is read once (M1), so its length is read only for an observer.
      if (trace !== null && Array.isArray(list)) trace.size = list.length;
      this.flush();
      try {
        return run();
      } catch (error) {
        // The option `height` is the application's function.
        return Promise.reject(error);
      }
    });
  }

  /** Adds a call for one transaction to a batch. */
  async single<Item, Answer>(
    batched: Batched<Item, Answer>,
    subject: Subject<Item>,
    context: WriteContext,
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

  /** Accepts no more calls. Ends the streams and closes the driver after all accepted calls have been answered. */
  async close(): Promise<void> {
    this.#batches.flush();
    await this.end();
    await this.subscriptions.drain();
    await settle(() => this.driver.close());
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
