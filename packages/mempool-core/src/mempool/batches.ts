import type { PoolOptions } from '../boundary/open-options.ts';
import type { Awaitable, WriteContext } from '../contract/call-options.ts';
import { MempoolError } from '../contract/errors.ts';

/** The most batches under way at once. The second one hides the round trip to the store. */
const maxUnderWay = 2;

/** A kind of calls for one transaction. Calls of one kind share a call of many. */
export interface Batched<Item, Answer> {
  /** Calls with the same name may share. */
  readonly name: string;
  /** A read can be aborted at any time, a write only before it was sent (R3). */
  readonly kind: 'read' | 'write';
  /** True if the order of these calls shows (L1), so that none of them may be left for a later batch than the next one. */
  readonly isOrdered?: boolean;
  /** Returns one answer for each item, in the order given. */
  send(items: readonly Item[], context: WriteContext): Awaitable<readonly Answer[]>;
}

/** The transaction that a call is about. */
export interface Subject<Item> {
  readonly item: Item;
  readonly hash: string;
  /** The bytes that it adds to the size of a batch. */
  readonly bytes: number;
  /** Told how many transactions the batch has; `null` if the call is not observed. */
  readonly trace: CallTrace | null;
}

/** Data about an observed call, recorded while it runs. */
export interface CallTrace {
  /** How many transactions the call, or its batch, has. */
  size: number;
}

interface WaitingCall extends Subject<unknown> {
  readonly batched: Batched<unknown, unknown>;
  readonly context: WriteContext;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  state: 'waiting' | 'withdrawn' | 'sent';
}

/**
 * Joins the calls for one transaction that were made in one turn of the event loop into few calls of many, so that many
 * transactions share one durable commit (O6). It waits with `setImmediate`, because microtasks would starve timers and
 * sockets under load. Drivers keep the order of calls (M2), so a batch need not wait for the answer of the one before.
 */
export class Batches {
  readonly #limits: Pick<PoolOptions, 'maxBatch' | 'maxBatchBytes' | 'maxQueued'>;
  /** The calls that wait, in the order made, with those that were withdrawn meanwhile. */
  #calls: WaitingCall[] = [];
  #waiting = 0;
  #underWay = 0;
  #isScheduled = false;

  constructor(limits: Pick<PoolOptions, 'maxBatch' | 'maxBatchBytes' | 'maxQueued'>) {
    this.#limits = limits;
  }

  /** The number of calls that wait, and the number of batches under way. */
  get lengths(): { readonly waiting: number; readonly underWay: number } {
    return { waiting: this.#waiting, underWay: this.#underWay };
  }

  /**
   * Adds a call. An abort removes it while it waits, and ends a read at any time. A write that was sent ends early only if
   * all callers that share it have aborted and the store has not accepted it yet (R3).
   * @throws `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already (O6); the store's error for this call
   */
  async add<Item, Answer>(
    batched: Batched<Item, Answer>,
    subject: Subject<Item>,
    context: WriteContext,
  ): Promise<Answer> {
    const { signal } = context;
    signal?.throwIfAborted();
    const { maxQueued } = this.#limits;
    if (this.#waiting >= maxQueued)
      throw new MempoolError('ERR_MEMPOOL_BUSY', `${maxQueued} calls are waiting already (maxQueued)`);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const call: WaitingCall = {
      ...subject,
      batched: batched as Batched<unknown, unknown>,
      context,
      resolve: resolve as (answer: unknown) => void,
      reject,
      state: 'waiting',
    };
    this.#calls.push(call);
    this.#waiting += 1;
    this.#schedule();
    if (signal === undefined) return promise;
    const abort = (): void => this.#abort(call, signal);
    signal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Sends all calls that wait, so that a call made next comes after them. */
  flush(): void {
    while (this.#waiting > 0) void this.#send(this.#next());
  }

  #abort(call: WaitingCall, { reason }: AbortSignal): void {
    if (call.state === 'waiting') {
      call.state = 'withdrawn';
      this.#waiting -= 1;
    } else if (call.batched.kind === 'write') return;
    call.reject(reason);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting > 0 && this.#underWay < maxUnderWay) void this.#send(this.#next());
      if (this.#waiting === 0) this.#calls = [];
    });
  }

  /**
   * Takes the next batch: the first call that waits, and as many later ones as may share with it. A call never overtakes
   * one for the same hash.
   */
  #next(): WaitingCall[] {
    const { maxBatch, maxBatchBytes } = this.#limits;
    const batch: WaitingCall[] = [];
    const left: WaitingCall[] = [];
    const leftHashes = new Set<string>();
    let [bytes, at] = [0, 0];
    for (; at < this.#calls.length && batch.length < maxBatch; at++) {
      const call = this.#calls[at] as WaitingCall;
      if (call.state === 'withdrawn') continue;
      const [first = call] = batch;
      const isSame = call.batched.name === first.batched.name;
      const fits = first === call || (!isAlone(first) && !isAlone(call) && bytes + call.bytes <= maxBatchBytes);
      if (isSame && fits && !leftHashes.has(call.hash)) {
        call.state = 'sent';
        batch.push(call);
        bytes += call.bytes;
        continue;
      }
      if (call.batched.isOrdered && first.batched.isOrdered) break;
      left.push(call);
      leftHashes.add(call.hash);
    }
    this.#calls = left.concat(this.#calls.slice(at));
    this.#waiting -= batch.length;
    return batch;
  }

  /** Sends one batch and answers every caller, also if the store fails. */
  async #send(batch: readonly WaitingCall[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    this.#underWay += 1;
    for (const { trace } of batch) if (trace !== null) trace.size = batch.length;
    const { signal, release } = shareSignals(batch.map(({ context }) => context.signal));
    try {
      const items = batch.map(({ item }) => item);
      const answers = await first.batched.send(items, { operationId: first.context.operationId, signal });
      for (const [i, call] of batch.entries()) call.resolve(answers[i]);
    } catch (error) {
      const aborted = signal?.aborted === true && error === signal.reason;
      for (const call of batch) call.reject(aborted ? call.context.signal?.reason : error);
    } finally {
      release();
      this.#underWay -= 1;
      // The next batch waits for one turn of the event loop. Callers that were just answered can then join it.
      if (this.#waiting > 0) this.#schedule();
    }
  }
}

/** True if the call has an operation id. The id belongs to this call alone, so its batch is not shared (X2). */
function isAlone({ context }: WaitingCall): boolean {
  return context.operationId !== undefined;
}

/** The signal of a batch that several callers share. It aborts when the last of them has aborted. */
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
