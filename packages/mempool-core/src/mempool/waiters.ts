import { longestTimerMs } from '../boundary/open-options.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { invalid, isMempoolError, MempoolError } from '../contract/errors.ts';
import type { BlockEvent, MempoolEvent, TransactionEvent } from '../contract/events.ts';
import { type KnownStage, knownStages, type TransactionStatus } from '../contract/transaction.ts';
import type { PoolReads } from './pool-reads.ts';

const maxLook = 1_000;
const retryMs = 250;

interface Waiter {
  readonly hash: string;
  readonly goal: Goal;
  readonly resolve: (answer: Waited) => void;
  readonly reject: (reason: unknown) => void;
  /** The number of the last event before the wait began; `null` until the first read of the store. */
  after: number | null;
  /** Events that arrived during that read. */
  held: TransactionEvent[];
  /** True after the first successful read. From then on the wait survives an outage of the store. */
  begun: boolean;
  /** The tick at which the transaction may be deep enough; `null` while it is not Confirmed. */
  due: number | null;
}

/** The state of the pool at one read of the store. */
interface Sight {
  readonly tick: number;
  readonly lastEventSeq: number;
  readonly blockEvents: number;
}

interface Subscription {
  readonly ending: AbortController;
  /** Resolves when every later event is sure to arrive. */
  readonly ready: Promise<unknown>;
  /** Resolves after the last event. */
  readonly done: Promise<void>;
}

/**
 * All waits for a stage. They share one subscription, which ends when the last wait ends (R3). The subscription starts
 * before the first read of the store, so no event is missed. A new wait reads the status from the store, and after lost
 * events all waits do. Otherwise they learn of changes from events. A new confirmation makes no event, so a wait for
 * confirmations reads the status again at the block that may complete them.
 */
export class Waiters {
  readonly #reads: PoolReads;
  readonly #byHash = new Map<string, Set<Waiter>>();
  readonly #unlooked = new Set<Waiter>();
  readonly #deep = new Set<Waiter>();
  #subscription: Subscription | null = null;
  #blockEvents = 0;
  /** Rises each time all waits must read the status again. The result of an older read is ignored. */
  #generation = 0;
  #looking = false;

  constructor(reads: PoolReads) {
    this.#reads = reads;
  }

  /**
   * Waits until the transaction reaches the goal or is Dropped, or until the time is over. Returns its status then.
   * @throws the signal's reason; `ERR_MEMPOOL_CLOSED`; the store's error at the first read
   */
  wait(hash: string, goal: Goal, signal: AbortSignal | undefined): Promise<Waited> {
    const { promise, resolve, reject } = Promise.withResolvers<Waited>();
    const waiter: Waiter = { hash, goal, resolve, reject, after: null, held: [], begun: false, due: null };
    this.#add(waiter);
    this.#look(waiter);
    if (signal === undefined && goal.timeoutMs === null) return promise;
    const timer = goal.timeoutMs === null ? undefined : setTimeout(() => void this.#expire(waiter), goal.timeoutMs);
    const abort = (): void => this.#fail(waiter, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  }

  /** Delivers the last events, then rejects the waits that are left. Call it after the store has closed. */
  async close(): Promise<void> {
    await this.#subscription?.done;
    this.failAll(closed());
  }

  /** Rejects every wait with this reason. */
  failAll(reason: unknown): void {
    for (const waiters of [...this.#byHash.values()]) for (const waiter of [...waiters]) this.#fail(waiter, reason);
  }

  #add(waiter: Waiter): void {
    const waiters = this.#byHash.get(waiter.hash);
    if (waiters === undefined) this.#byHash.set(waiter.hash, new Set([waiter]));
    else waiters.add(waiter);
  }

  #remove(waiter: Waiter): boolean {
    const waiters = this.#byHash.get(waiter.hash);
    if (waiters === undefined || !waiters.delete(waiter)) return false;
    if (waiters.size === 0) this.#byHash.delete(waiter.hash);
    this.#unlooked.delete(waiter);
    this.#deep.delete(waiter);
    if (this.#byHash.size === 0) this.#unsubscribe();
    return true;
  }

  #fulfil(waiter: Waiter, status: TransactionStatus): void {
    if (this.#remove(waiter)) waiter.resolve({ kind: status.stage === 'Dropped' ? 'dropped' : 'reached', status });
  }

  /** Reads the status once more, because an event may be on its way. */
  async #expire(waiter: Waiter): Promise<void> {
    try {
      const [status] = await this.#reads.status([waiter.hash]);
      if (status === undefined) return;
      if (reaches(status, waiter.goal)) this.#fulfil(waiter, status);
      else if (this.#remove(waiter)) waiter.resolve({ kind: 'timeout', status });
    } catch (error) {
      this.#fail(waiter, error);
    }
  }

  #fail(waiter: Waiter, reason: unknown): void {
    if (this.#remove(waiter)) waiter.reject(reason);
  }

  #subscribe(): Subscription {
    const ending = new AbortController();
    const ready = this.#reads.subscribe({ signal: ending.signal });
    return { ending, ready, done: this.#listen(ready, ending) };
  }

  #unsubscribe(): void {
    this.#subscription?.ending.abort();
    this.#subscription = null;
  }

  /** Ends silently if nobody waits any more. Otherwise it rejects the waits with the reason. */
  async #listen(stream: Promise<AsyncIterable<MempoolEvent>>, ending: AbortController): Promise<void> {
    let reason: unknown = closed();
    try {
      for await (const event of await stream) this.#hear(event);
    } catch (error) {
      reason = error;
    }
    if (this.#subscription?.ending !== ending) return;
    this.#subscription = null;
    this.failAll(reason);
  }

  #hear(event: MempoolEvent): void {
    switch (event.kind) {
      case 'transaction':
        this.#hearTransaction(event);
        break;
      case 'block':
        this.#hearBlock(event);
        break;
      case 'lagged':
        this.#lookAgain();
        break;
      case 'ready':
      case 'parked':
        // The stage is the same.
        break;
    }
  }

  #hearTransaction(event: TransactionEvent): void {
    for (const waiter of [...(this.#byHash.get(event.hash) ?? [])]) {
      if (waiter.after === null) waiter.held.push(event);
      else this.#tell(waiter, event);
    }
  }

  #tell(waiter: Waiter, event: TransactionEvent): void {
    if (event.eventSeq <= (waiter.after ?? 0)) return;
    const status = eventStatus(event);
    this.#deep.delete(waiter);
    if (reaches(status, waiter.goal)) this.#fulfil(waiter, status);
    else if (status.stage === 'Confirmed') this.#look(waiter);
  }

  /** An undone block changes every depth, so all waits for depth read the status again. */
  #hearBlock({ action, tick }: BlockEvent): void {
    this.#blockEvents += 1;
    for (const waiter of this.#deep) if (action === 'undone' || (waiter.due ?? 0) <= tick) this.#look(waiter);
  }

  #lookAgain(): void {
    this.#generation += 1;
    for (const waiters of this.#byHash.values())
      for (const waiter of waiters) {
        waiter.after = null;
        waiter.held = [];
        this.#look(waiter);
      }
  }

  #look(waiter: Waiter): void {
    this.#unlooked.add(waiter);
    if (this.#looking) return;
    this.#looking = true;
    void this.#lookAtAll();
  }

  async #lookAtAll(): Promise<void> {
    while (this.#unlooked.size > 0) {
      // Waits that begin in one turn of the event loop share one read.
      await new Promise(setImmediate);
      const waiters = [...this.#unlooked].slice(0, maxLook);
      for (const waiter of waiters) this.#unlooked.delete(waiter);
      try {
        await this.#lookAt(waiters);
      } catch (error) {
        await this.#lookFailed(waiters, error);
      }
    }
    this.#looking = false;
  }

  async #lookAt(waiters: readonly Waiter[]): Promise<void> {
    if (waiters.length === 0) return;
    this.#subscription ??= this.#subscribe();
    await this.#subscription.ready;
    const blockEvents = this.#blockEvents;
    const generation = this.#generation;
    const [{ lastEventSeq }, { tick }] = await Promise.all([this.#reads.usage(), this.#reads.tip()]);
    const statuses = await this.#reads.status(waiters.map(({ hash }) => hash));
    if (generation !== this.#generation) return;
    for (const [i, waiter] of waiters.entries()) {
      const status = statuses[i];
      if (status !== undefined) this.#learn(waiter, status, { tick, lastEventSeq, blockEvents });
    }
  }

  #learn(waiter: Waiter, status: TransactionStatus, sight: Sight): void {
    if (!this.#byHash.get(waiter.hash)?.has(waiter)) return;
    if (reaches(status, waiter.goal)) {
      this.#fulfil(waiter, status);
      return;
    }
    this.#measure(waiter, status, sight);
    waiter.begun = true;
    if (waiter.after !== null) return;
    waiter.after = sight.lastEventSeq;
    for (const event of waiter.held.splice(0)) this.#tell(waiter, event);
  }

  /**
   * Computes the tick at which the depth may be reached. The tick was read before the status, so the result may be too
   * early. Then the status is read once more.
   */
  #measure(waiter: Waiter, { stage, confirmations }: TransactionStatus, sight: Sight): void {
    if (stage !== 'Confirmed') {
      this.#deep.delete(waiter);
      return;
    }
    waiter.due = sight.tick - confirmations + waiter.goal.confirmations;
    this.#deep.add(waiter);
    if (this.#blockEvents !== sight.blockEvents) this.#look(waiter);
  }

  /** A new wait gets the error. A wait that was answered before continues if the error is retryable. */
  async #lookFailed(waiters: readonly Waiter[], error: unknown): Promise<void> {
    const lasting = !isMempoolError(error) || !error.retryable;
    for (const waiter of waiters) {
      if (lasting || !waiter.begun) this.#fail(waiter, error);
      else if (this.#byHash.get(waiter.hash)?.has(waiter)) this.#unlooked.add(waiter);
    }
    if (this.#unlooked.size > 0) await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function closed(): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
}

/**
 * The result of `waitFor`. `dropped` means that the transaction was Dropped before it reached the stage, `timeout` that
 * `timeoutMs` was over before.
 */
export interface Waited {
  readonly kind: 'reached' | 'dropped' | 'timeout';
  readonly status: TransactionStatus;
}

/** The stages that `waitFor` can wait for, in their order. */
export type WaitStage = Exclude<KnownStage, 'Dropped'>;

/** Options of `waitFor`. */
export interface WaitOptions extends ReadOptions {
  /** The stage to wait for; default Confirmed. */
  readonly stage?: WaitStage | undefined;
  /** The confirmations that it must have; its own block counts as 1. A Finalized transaction satisfies any number. */
  readonly confirmations?: number | undefined;
  /**
   * How long to wait, in milliseconds: 0–2,147,483,647. Then the wait reads the status once more. If the transaction has not
   * reached the goal, it returns `timeout`. Default: no limit.
   */
  readonly timeoutMs?: number | undefined;
}

/** The options of a wait, with defaults filled in. */
export interface Goal {
  readonly stage: WaitStage;
  readonly confirmations: number;
  /** `null`: no limit. */
  readonly timeoutMs: number | null;
}

/** Checks the options of a wait and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkGoal(options: WaitOptions | undefined): Goal {
  const { stage = 'Confirmed', confirmations = 0, timeoutMs = null } = options ?? {};
  if (!knownStages.includes(stage) || (stage as KnownStage) === 'Dropped')
    throw invalid('stage', 'Pending, Propagated, Acknowledged, Confirmed or Finalized');
  if (!Number.isSafeInteger(confirmations) || confirmations < 0)
    throw invalid('confirmations', 'a safe integer of at least 0');
  if (timeoutMs !== null && (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0 || timeoutMs > longestTimerMs))
    throw invalid('timeoutMs', `an integer from 0 to ${longestTimerMs}`);
  return { stage, confirmations, timeoutMs };
}

/** True at the stage asked for or a later one, or at Dropped (R3). */
function reaches({ stage, confirmations }: TransactionStatus, goal: Goal): boolean {
  if (stage === 'Unknown') return false;
  if (stage === 'Dropped' || stage === 'Finalized') return true;
  return knownStages.indexOf(stage) >= knownStages.indexOf(goal.stage) && confirmations >= goal.confirmations;
}

/** Returns the status right after the event, without `notBefore`, which events do not have. */
export function eventStatus(event: TransactionEvent): TransactionStatus {
  const { hash, stage, confirmations, nonConfirmations, point, reason, receivedAt, attempts } = event;
  const facts = { receivedAt, attempts, notBefore: null };
  return { hash, stage, confirmations, nonConfirmations, confirmedAt: point, reason, ...facts };
}
