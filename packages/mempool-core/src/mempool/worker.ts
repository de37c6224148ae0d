import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkReason } from '../boundary/arguments.ts';
import { extendClaimOf, takeFrom } from '../boundary/payload-calls.ts';
import { unlessAborted } from '../boundary/unless-aborted.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { ClaimWithPayloads, TakeOptions, TakePayloadsOptions } from '../contract/pool-verbs.ts';
import { HeldClaim, type HeldClaimParts } from './held-claim.ts';
import type { PoolCalls } from './pool-calls.ts';
import type { PoolReads } from './pool-reads.ts';
import type { Waiting } from './waiting.ts';
import {
  checkBackoff,
  type FinalReason,
  finalReason,
  type ResolvedWorkOptions,
  type WorkDone,
  type WorkHandler,
} from './work-options.ts';

/** The calls by which a worker answers. Those for one transaction share store calls with other callers. */
interface WorkerPool {
  markAcknowledged(hash: string, options: Guard): Promise<boolean>;
  complete(hash: string, options: Guard): Promise<boolean>;
  release(hash: string, options: ReleaseGuard): Promise<boolean>;
  drop(hash: string, reason: FinalReason, options: Guard): Promise<boolean>;
}

interface Guard {
  readonly claim: string;
}

interface ReleaseGuard extends Guard {
  readonly notBeforeMs?: number | undefined;
}

export interface WorkerParts {
  readonly handler: WorkHandler;
  readonly pool: WorkerPool;
  readonly work: ResolvedWorkOptions;
  readonly calls: PoolCalls;
  readonly reads: PoolReads;
  readonly waiting: Waiting;
}

/** How long a worker waits before it looks again: for what another process woke, or for the store. */
const againMs = 1_000;

/** How long an answer that could not be given waits before it is tried again. */
const retryMs = 250;

type Outcome = keyof WorkDone;
type Claimed = ClaimWithPayloads['transactions'][number];

/** How a transaction ended, for the pool. */
type Answer =
  | { readonly kind: 'acknowledged' | 'completed' }
  | { readonly kind: 'released'; readonly notBeforeMs?: number }
  | { readonly kind: 'failed'; readonly reason: FinalReason };

/** A `take` that was sent. If its answer is lost, it is repeated under its id, with the same arguments (X2, P8). */
interface Ask {
  readonly operationId: string;
  readonly maxTxs: number;
  /** The time of `clock` at the call. */
  readonly askedAt: number;
}

/** Takes transactions and calls the handler for each, a bounded number at once, until its signal aborts (P21). */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #stopping = new AbortController();
  readonly #claims = new Set<HeldClaim>();
  readonly #jobs = new Set<Promise<void>>();
  /** How many of those that were taken have not ended. */
  #waiting = 0;
  readonly #counts: Record<Outcome, number> = { acknowledged: 0, completed: 0, released: 0, failed: 0, lost: 0 };
  /** The error that ends the work. */
  #fault: { readonly error: unknown } | null = null;
  #placeFreed: PromiseWithResolvers<void> = Promise.withResolvers();
  /** When the first of those that this worker holds back may be taken again, by `clock`. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** The wait for something to take, if there is one. */
  #ready: Promise<true> | null = null;
  /** The `take` whose answer was lost. It may have taken transactions that nobody else is handed. */
  #lost: Ask | null = null;
  /** True if a look would most likely find something to take. */
  #isLikely = false;
  /** How often in a row something was ready, but others had taken it. */
  #inVain = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Works until the signal aborts. @throws the error that ended the work */
  async run(): Promise<WorkDone> {
    const { signal } = this.#parts.work;
    const stop = (): void => this.#stop(signal?.reason);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    while (!this.#isStopping) await this.#round();
    signal?.removeEventListener('abort', stop);
    await this.#recover();
    await this.#ended();
    if (this.#fault !== null) throw this.#fault.error;
    return { ...this.#counts };
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #stop(reason: unknown): void {
    this.#stopping.abort(reason);
    for (const claim of this.#claims) claim.stop(reason);
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#stop(error);
  }

  /** Waits for the handlers, but not past the end of their claims: from then on, others may have the transactions. */
  async #ended(): Promise<void> {
    const over = new AbortController();
    const leftMs = Math.max(0, ...[...this.#claims].map((claim) => claim.leftMs));
    const timer = delay(leftMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#jobs), timer]);
    over.abort();
    this.#counts.lost += this.#waiting;
  }

  /** Takes as many as there are free places, or waits for a place, for a transaction or for the store. */
  async #round(): Promise<void> {
    const { work, calls } = this.#parts;
    try {
      const free = work.concurrency - this.#jobs.size;
      if (free === 0) await unlessAborted(this.#placeFreed.promise, this.#stopping.signal);
      else if (await this.#take(free)) this.#inVain = 0;
      else await this.#untilReady();
    } catch (error) {
      if (this.#isStopping) return;
      if (!isMempoolError(error) || !error.retryable) return this.#fail(error);
      calls.options.log('warn', 'a worker could not take transactions', { error });
      await this.#pause(againMs);
    }
  }

  /** Returns false if there was nothing to take. */
  async #take(maxTxs: number): Promise<boolean> {
    const { clock } = this.#parts.calls.options;
    const askedAt = clock();
    if (askedAt >= this.#dueAt) this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#lost === null && !this.#isLikely && !(await this.#isReady())) return false;
    this.#isLikely = true;
    const ask = this.#lost ?? { operationId: randomUUID(), maxTxs, askedAt: clock() };
    const taken = await this.#ask(ask);
    this.#isLikely = taken.transactions.length >= ask.maxTxs;
    if (taken.transactions.length > 0) this.#begin(taken, ask.askedAt);
    return taken.transactions.length > 0;
  }

  /** Looks before each `take` that may find nothing: each one uses up one of the operation ids that a store keeps (X2). */
  async #isReady(): Promise<boolean> {
    const { work, calls, reads } = this.#parts;
    const { owner, claimMs } = work;
    // It takes nothing, but hands out again what was held back until now (P20).
    await calls.observed('take', () => takeFrom(calls, { maxTxs: 0 }, calls.timed<TakeOptions>({ owner, claimMs })));
    return calls.observed('hasPending', () => reads.hasPending());
  }

  async #ask(ask: Ask): Promise<ClaimWithPayloads> {
    const { work, calls } = this.#parts;
    const { owner, claimMs } = work;
    const { operationId, maxTxs } = ask;
    const how = calls.timed<TakePayloadsOptions>({ owner, claimMs, operationId, payloads: true });
    try {
      const taken = await calls.observed('take', () => takeFrom(calls, { maxTxs }, how) as Promise<ClaimWithPayloads>);
      this.#lost = null;
      return taken;
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN')) this.#lost = ask;
      throw error;
    }
  }

  /** When the work ends, what a lost `take` has taken is given back. Tries again while its claim would last. */
  async #recover(): Promise<void> {
    const { work, calls } = this.#parts;
    while (this.#lost !== null && this.#lost.askedAt + work.claimMs > calls.options.clock()) {
      const { askedAt } = this.#lost;
      try {
        this.#begin(await this.#ask(this.#lost), askedAt);
      } catch (error) {
        if (!isMempoolError(error) || !error.retryable) return;
        await delay(retryMs);
      }
    }
  }

  #begin(taken: ClaimWithPayloads, askedAt: number): void {
    const { work, calls } = this.#parts;
    const { clock } = calls.options;
    const extend: HeldClaimParts['extend'] = (id, ms) =>
      calls.observed('extendClaim', () => extendClaimOf(calls, id, ms, undefined));
    const claim = new HeldClaim({ claim: taken, claimMs: work.claimMs, askedAt, clock, extend });
    this.#claims.add(claim);
    if (this.#isStopping) claim.stop(this.#stopping.signal.reason);
    this.#waiting += taken.transactions.length;
    const jobs = taken.transactions.map((one) => this.#place(this.#handle(claim, one)));
    void Promise.all(jobs).then(() => {
      claim.letGo();
      this.#claims.delete(claim);
    });
  }

  /** Waits until something is ready, or may be. */
  async #untilReady(): Promise<void> {
    if (this.#inVain > 0) await this.#pause(Math.min(againMs, 2 ** this.#inVain));
    this.#ready ??= this.#nextReady();
    const over = new AbortController();
    const dueInMs = Math.max(0, this.#dueAt - this.#parts.calls.options.clock());
    const timer = delay(Math.min(againMs, dueInMs), false, { signal: over.signal }).catch(() => false);
    try {
      const isReady = await Promise.race([this.#ready, timer]);
      this.#isLikely = isReady && this.#inVain === 0;
      this.#inVain = isReady ? this.#inVain + 1 : 0;
    } finally {
      over.abort();
    }
  }

  /** One wait serves for many looks, so that an idle worker does not subscribe each second. */
  #nextReady(): Promise<true> {
    const ready = this.#waitForPending().finally(() => {
      this.#ready = null;
    });
    ready.catch(() => undefined);
    return ready;
  }

  async #waitForPending(): Promise<true> {
    await this.#parts.waiting.waitForPending({ signal: this.#stopping.signal });
    return true;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  /** A job has one of the free places until it has ended. */
  async #place(job: Promise<void>): Promise<void> {
    this.#jobs.add(job);
    await job;
    this.#jobs.delete(job);
    this.#placeFreed.resolve();
    this.#placeFreed = Promise.withResolvers();
  }

  async #handle(claim: HeldClaim, one: Claimed): Promise<void> {
    const answer = await this.#job(claim, one);
    await this.#answer(claim, one.hash, answer);
    this.#waiting -= 1;
  }

  async #job(claim: HeldClaim, one: Claimed): Promise<Answer> {
    const { work, handler } = this.#parts;
    const { attempts: attempt } = one;
    if (this.#isStopping) return { kind: 'released' };
    // The attempts before may have ended with their process.
    if (attempt > work.attempts) return { kind: 'failed', reason: 'failed' };
    try {
      await handler(one, { signal: claim.signal, attempt });
    } catch (error) {
      return this.#failed(claim, attempt, error);
    }
    return { kind: work.onSuccess === 'complete' ? 'completed' : 'acknowledged' };
  }

  /** A reason that is none, and a backoff that is none, are the application's fault: they end the work. */
  #failed(claim: HeldClaim, attempt: number, error: unknown): Answer {
    const { work, calls } = this.#parts;
    const reason = finalReason(error);
    try {
      if (reason !== null) {
        checkReason(reason);
        return { kind: 'failed', reason };
      }
      if (this.#isStopping) return { kind: 'released' };
      if (attempt >= work.attempts) return { kind: 'failed', reason: 'failed' };
      const ms = checkBackoff(work.backoff(attempt, error));
      this.#dueAt = Math.min(this.#dueAt, calls.options.clock() + ms + 1);
      return { kind: 'released', notBeforeMs: claim.poolTimeMs + ms };
    } catch (fault) {
      this.#fail(fault);
      return { kind: 'released' };
    }
  }

  /** Reports to the pool how a transaction ended. Tries again while the claim lasts. */
  async #answer(claim: HeldClaim, hash: string, answer: Answer): Promise<void> {
    try {
      const isChanged = await this.#report(claim, hash, answer);
      this.#counts[isChanged ? answer.kind : 'lost'] += 1;
    } catch (error) {
      if (isMempoolError(error) && error.retryable && claim.leftMs > retryMs) {
        await delay(retryMs);
        return this.#answer(claim, hash, answer);
      }
      this.#counts.lost += 1;
      if (!isMempoolError(error) || !error.retryable) this.#fail(error);
    }
  }

  /** Returns true if the transaction changed. */
  #report({ id }: HeldClaim, hash: string, answer: Answer): Promise<boolean> {
    const { pool } = this.#parts;
    const guard = { claim: id };
    switch (answer.kind) {
      case 'acknowledged':
        return pool.markAcknowledged(hash, guard);
      case 'completed':
        return pool.complete(hash, guard);
      case 'released':
        return pool.release(hash, { ...guard, notBeforeMs: answer.notBeforeMs });
      case 'failed':
        return pool.drop(hash, answer.reason, guard);
    }
  }
}
