import type { WriteOptions } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import { type Batch, type BatchedVerb, QueuedCall } from './call-list.ts';
import { CallQueue, type QueueLimits } from './call-queue.ts';
import type { CallTrace } from './observer.ts';

/** The most store calls under way at once. The second one hides the round trip to the store. */
const maxUnderWay = 2;

/** The transaction that a call is about. */
export interface Subject<Item> {
  readonly item: Item;
  readonly hash: string;
  /** The bytes that it adds to the size of a store call. */
  readonly bytes: number;
  /** The trace of the call; `null` if it is not observed. */
  readonly trace: CallTrace | null;
}

/**
 * Joins the calls made in one turn of the event loop into few store calls, so that many transactions share one durable
 * commit (O6). It waits with `setImmediate`, because microtasks would starve timers and sockets under load.
 */
export class Coalescer {
  readonly #queue: CallQueue;
  #scheduled = false;
  #closed = false;
  #onIdle: (() => void) | null = null;

  constructor(limits: QueueLimits) {
    this.#queue = new CallQueue(limits);
  }

  /**
   * Queues a call for one transaction. An abort removes the call while it waits, and ends a read at any time. A write
   * that was sent ends early only if all callers that share it have aborted and the store has not accepted it yet (R3).
   * @throws `ERR_MEMPOOL_BUSY`; `ERR_MEMPOOL_CLOSED`; the store's error for this call
   */
  async call<Item, Answer>(
    verb: BatchedVerb<Item, Answer>,
    subject: Subject<Item>,
    options: WriteOptions,
  ): Promise<Answer> {
    this.#assertOpen();
    const { signal } = options;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const call = new QueuedCall(verb as BatchedVerb<unknown, unknown>, subject, options, {
      resolve: resolve as (answer: unknown) => void,
      reject,
    });
    if (subject.trace !== null) subject.trace.queued = call;
    this.#queue.add(call);
    this.#schedule();
    if (signal === undefined) return promise;
    const abort = (): void => this.#abort(call, signal);
    signal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /**
   * Queues a call for the whole pool. It begins when all earlier calls have ended. Later calls wait for it.
   * @throws `ERR_MEMPOOL_BUSY`; `ERR_MEMPOOL_CLOSED`; the store's error for this call
   */
  async whole<Answer>(run: () => Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    this.#assertOpen();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    let begun = false;
    this.#queue.addWhole(async () => {
      if (signal?.aborted) return;
      begun = true;
      await run().then(resolve, reject);
    });
    this.#schedule();
    if (signal === undefined) return promise;
    const abort = (): void => {
      if (!begun) reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** The number of calls that wait, and the number of store calls under way. */
  get lengths(): { readonly waiting: number; readonly underWay: number } {
    return { waiting: this.#queue.waiting, underWay: this.#queue.underWay };
  }

  /** Accepts no more calls. Resolves when all accepted calls have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.isEmpty) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
  }

  #abort(call: QueuedCall, signal: AbortSignal): void {
    if (this.#queue.withdraw(call)) this.#schedule();
    else if (call.verb.kind === 'write') return;
    call.reject(signal.reason);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.underWay < maxUnderWay) {
      const batch = this.#queue.nextBatch();
      if (batch === null) break;
      void this.#run(batch);
    }
    const whole = this.#queue.nextWhole();
    if (whole !== null) void whole().finally(() => this.#ended(() => this.#queue.endWhole()));
    if (this.#queue.isEmpty) this.#onIdle?.();
  }

  async #run(batch: Batch): Promise<void> {
    await send(batch.verb, batch.calls);
    this.#ended(() => this.#queue.endBatch(batch));
  }

  /** The next store call waits for one turn of the event loop. Callers that were just answered can then join it. */
  #ended(end: () => void): void {
    end();
    this.#schedule();
  }
}

/** Sends one store call and answers every caller, also if the store fails. */
async function send(verb: BatchedVerb<unknown, unknown>, calls: readonly QueuedCall[]): Promise<void> {
  const { signal, release } = shareSignals(calls.map(({ options }) => options.signal));
  const operationId = calls.length === 1 ? calls[0]?.options.operationId : undefined;
  try {
    const items = calls.map(({ item }) => item);
    const answers = await verb.send(items, { operationId, signal });
    if (answers.length !== calls.length)
      throw new MempoolError('ERR_MEMPOOL_INTERNAL', `${verb.name}: the store did not answer every transaction`);
    for (const [i, call] of calls.entries()) call.resolve(answers[i]);
  } catch (error) {
    if (calls.length > 1 && isOfOneItem(error)) return sendHalves(verb, calls);
    const aborted = signal?.aborted === true && error === signal.reason;
    for (const call of calls) call.reject(aborted ? call.options.signal?.reason : error);
  } finally {
    release();
  }
}

/**
 * Sends the two halves separately. This isolates the bad transaction, so that only its caller gets the error (M2). The
 * failed call wrote nothing, so it is safe to send again.
 */
async function sendHalves(verb: BatchedVerb<unknown, unknown>, calls: readonly QueuedCall[]): Promise<void> {
  const middle = calls.length >> 1;
  await send(verb, calls.slice(0, middle));
  await send(verb, calls.slice(middle));
}

const codesOfOneItem: readonly unknown[] = ['ERR_MEMPOOL_INVALID', 'ERR_MEMPOOL_CORRUPT', 'ERR_MEMPOOL_UNSUPPORTED'];

function isOfOneItem(error: unknown): boolean {
  return isMempoolError(error) && codesOfOneItem.includes(error.code);
}

/** The signal of a store call that several callers share. It aborts when the last of them has aborted. */
interface SharedSignal {
  /** `undefined` if one caller has no signal. That caller waits for the answer in any case. */
  readonly signal: AbortSignal | undefined;
  /** Stops listening to the callers' signals. */
  release(): void;
}

function shareSignals(signals: readonly (AbortSignal | undefined)[]): SharedSignal {
  const standing = new Set<AbortSignal>();
  for (const signal of signals) {
    if (signal === undefined) return { signal, release: () => undefined };
    if (!signal.aborted) standing.add(signal);
  }
  const ending = new AbortController();
  const abort = ({ target }: Event): void => {
    standing.delete(target as AbortSignal);
    if (standing.size === 0) ending.abort();
  };
  for (const signal of standing) signal.addEventListener('abort', abort, { once: true });
  if (standing.size === 0) ending.abort();
  return {
    signal: ending.signal,
    release: () => {
      for (const signal of standing) signal.removeEventListener('abort', abort);
    },
  };
}
