import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkReason } from '../boundary/arguments.ts';
import { unlessAborted } from '../boundary/unless-aborted.ts';
import { maxBundle } from '../contract/bundle-verbs.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { ClaimWithPayloads } from '../contract/pool-verbs.ts';
import { HeldClaim, type HeldClaimParts } from './held-claim.ts';
import { callTime, type ResolvedMempoolOptions } from './mempool-options.ts';
import type { PoolCalls } from './pool-calls.ts';
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
  markAcknowledged(hashes: readonly string[], options: Guard): Promise<string[]>;
  release(hash: string, options: ReleaseGuard): Promise<boolean>;
  release(hashes: readonly string[], options: ReleaseGuard): Promise<string[]>;
  drop(hash: string, reason: FinalReason | 'damaged', options: Guard): Promise<boolean>;
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
  readonly options: ResolvedMempoolOptions;
  readonly calls: PoolCalls;
  readonly waiting: Waiting;
}

/** How long a worker waits before it looks again: for what another process woke, or for the store. */
const againMs = 1_000;

/** How long an answer that could not be given waits before it is tried again. */
const retryMs = 250;

type Outcome = keyof WorkDone;
type Claimed = ClaimWithPayloads['transactions'][number];

/** What a worker tells the pool of a transaction, or of a bundle. */
type Answer =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'released'; readonly notBeforeMs?: number }
  | { readonly kind: 'failed'; readonly hash: string; readonly reason: FinalReason | 'damaged' };

/** What was taken together and is answered for together: one transaction, or a bundle (P31). */
interface Taken {
  readonly hashes: readonly string[];
  /** How many have not ended. */
  left: number;
  answer: Answer;
}

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
  readonly #counts: Record<Outcome, number> = { acknowledged: 0, released: 0, failed: 0, lost: 0 };
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
    const { work, options } = this.#parts;
    try {
      const free = work.concurrency - this.#jobs.size;
      if (free === 0) await unlessAborted(this.#placeFreed.promise, this.#stopping.signal);
      else if (await this.#take(free)) this.#inVain = 0;
      else await this.#untilReady();
    } catch (error) {
      if (this.#isStopping) return;
      if (!isMempoolError(error) || !error.retryable) return this.#fail(error);
      options.log('warn', 'a worker could not take transactions', { error });
      await this.#pause(againMs);
    }
  }

  /** Returns false if there was nothing to take. */
  async #take(maxTxs: number): Promise<boolean> {
    const { clock } = this.#parts.options;
    const askedAt = clock();
    if (askedAt >= this.#dueAt) this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#lost === null && !this.#isLikely && !(await this.#isReady())) return false;
    this.#isLikely = true;
    const ask = this.#lost ?? { operationId: randomUUID(), maxTxs, askedAt: clock() };
    const taken = await this.#ask(ask);
    this.#isLikely = taken.transactions.length >= ask.maxTxs;
    if (taken.transactions.length > 0) this.#begin(taken, ask.askedAt);
    else if (ask.maxTxs === maxTxs) return this.#takeBundle(maxTxs);
    return taken.transactions.length > 0;
  }

  /** P31: a bundle that is larger than the free places is taken as a whole, or nothing behind it would ever be taken. */
  async #takeBundle(free: number): Promise<boolean> {
    const { calls, options } = this.#parts;
    if (calls.store.ordering === 'fifo') return false;
    const found = await calls.observed('reap', () => calls.reading.reap({ maxTxs: maxBundle }));
    const first = found[0]?.bundle;
    const size = first === undefined ? 0 : found.filter(({ bundle }) => bundle === first).length;
    if (size <= free) return false;
    const ask = { operationId: randomUUID(), maxTxs: size, askedAt: options.clock() };
    const taken = await this.#ask(ask);
    if (taken.transactions.length > 0) this.#begin(taken, ask.askedAt);
    return taken.transactions.length > 0;
  }

  /** Looks before each `take` that may find nothing: each one uses up one of the operation ids that a store keeps (X2). */
  async #isReady(): Promise<boolean> {
    const { work, options, calls } = this.#parts;
    const { owner, claimMs, replaceable } = work;
    // It takes nothing, but hands out again what was held back until now (P20).
    const waking = { ...callTime(undefined, options), owner, claimMs, replaceable };
    await calls.observed('take', () => calls.reading.take({ maxTxs: 0 }, waking));
    return calls.observed('hasPending', () => calls.reading.hasPending());
  }

  /** Not through the queue: there, `take` and `extendClaim` would hold up the calls of others, and be held up by them. */
  async #ask(ask: Ask): Promise<ClaimWithPayloads> {
    const { work, options, calls } = this.#parts;
    const { owner, claimMs, replaceable } = work;
    const { operationId, maxTxs } = ask;
    const how = { ...callTime(undefined, options), owner, claimMs, replaceable, operationId, payloads: true } as const;
    try {
      const taken = await calls.observed('take', () => calls.reading.take({ maxTxs }, how));
      this.#lost = null;
      return taken;
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN')) this.#lost = ask;
      throw error;
    }
  }

  /** When the work ends, what a lost `take` has taken is given back. Tries again while its claim would last. */
  async #recover(): Promise<void> {
    const { work, options } = this.#parts;
    while (this.#lost !== null && this.#lost.askedAt + work.claimMs > options.clock()) {
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
    const { work, options, calls } = this.#parts;
    const extend: HeldClaimParts['extend'] = (id, ms) =>
      calls.observed('extendClaim', () => calls.reading.extendClaim(id, ms));
    const claim = new HeldClaim({ claim: taken, claimMs: work.claimMs, askedAt, clock: options.clock, extend });
    this.#claims.add(claim);
    if (this.#isStopping) claim.stop(this.#stopping.signal.reason);
    const waiting = withBundles(taken.transactions);
    this.#waiting += waiting.length;
    const places = Math.min(waiting.length, Math.max(1, work.concurrency - this.#jobs.size));
    const jobs = Array.from({ length: places }, () => this.#place(this.#jobsOf(claim, waiting)));
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
    const dueInMs = Math.max(0, this.#dueAt - this.#parts.options.clock());
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

  /** One after the other: of a bundle there may be more than there are places. */
  async #jobsOf(claim: HeldClaim, waiting: (readonly [Claimed, Taken])[]): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [one, taken] = next;
      // A bundle goes out again as a whole, or leaves as a whole. So the rest of it is not handled.
      if (taken.answer.kind === 'acknowledged') {
        const answer = await this.#job(claim, one);
        taken.answer = worse(taken.answer, answer);
      }
      taken.left -= 1;
      if (taken.left > 0) continue;
      await this.#answer(claim, taken);
      this.#waiting -= taken.hashes.length;
    }
  }

  async #job(claim: HeldClaim, one: Claimed): Promise<Answer> {
    const { work, handler } = this.#parts;
    const { hash } = one;
    if ('kind' in one) return { kind: 'failed', hash, reason: 'damaged' };
    const { attempts: attempt } = one;
    if (this.#isStopping) return { kind: 'released' };
    // The attempts before may have ended with their process.
    if (attempt > work.attempts) return { kind: 'failed', hash, reason: 'failed' };
    try {
      await handler(one, { signal: claim.signal, attempt });
    } catch (error) {
      return this.#failed(claim, hash, attempt, error);
    }
    return { kind: 'acknowledged' };
  }

  /** A reason that is none, and a backoff that is none, are the application's fault: they end the work. */
  #failed(claim: HeldClaim, hash: string, attempt: number, error: unknown): Answer {
    const { work, options } = this.#parts;
    const reason = finalReason(error);
    try {
      if (reason !== null) {
        checkReason(reason);
        return { kind: 'failed', hash, reason };
      }
      if (this.#isStopping) return { kind: 'released' };
      if (attempt >= work.attempts) return { kind: 'failed', hash, reason: 'failed' };
      const ms = checkBackoff(work.backoff(attempt, error));
      this.#dueAt = Math.min(this.#dueAt, options.clock() + ms + 1);
      return { kind: 'released', notBeforeMs: claim.poolTimeMs + ms };
    } catch (fault) {
      this.#fail(fault);
      return { kind: 'released' };
    }
  }

  /** Tells the pool how a transaction or a bundle ended. Tries again while the claim lasts. */
  async #answer(claim: HeldClaim, { hashes, answer }: Taken): Promise<void> {
    try {
      const told = await this.#tell(claim, hashes, answer);
      this.#counts[answer.kind] += told;
      this.#counts.lost += hashes.length - told;
    } catch (error) {
      if (isMempoolError(error) && error.retryable && claim.leftMs > retryMs) {
        await delay(retryMs);
        return this.#answer(claim, { hashes, answer, left: 0 });
      }
      this.#counts.lost += hashes.length;
      if (!isMempoolError(error) || !error.retryable) this.#fail(error);
    }
  }

  /** Returns how many transactions changed. A bundle changes in one call, so that a crash leaves no part of it in flight. */
  async #tell({ id }: HeldClaim, hashes: readonly string[], answer: Answer): Promise<number> {
    const { pool } = this.#parts;
    const [only, ...others] = hashes;
    const isOne = only !== undefined && others.length === 0;
    const guard = { claim: id };
    switch (answer.kind) {
      case 'acknowledged':
        if (isOne) return Number(await pool.markAcknowledged(only, guard));
        return (await pool.markAcknowledged(hashes, guard)).length;
      case 'released': {
        const { notBeforeMs } = answer;
        const until = notBeforeMs === undefined ? guard : { ...guard, notBeforeMs };
        return isOne ? Number(await pool.release(only, until)) : (await pool.release(hashes, until)).length;
      }
      case 'failed':
        // P31: it takes its bundle with it.
        return (await pool.drop(answer.hash, answer.reason, guard)) ? hashes.length : 0;
    }
  }
}

/** Pairs each transaction with its bundle, or with itself alone. */
function withBundles(transactions: readonly Claimed[]): (readonly [Claimed, Taken])[] {
  const bundles = Map.groupBy(transactions, (one) => ('kind' in one ? one.hash : (one.bundle ?? one.hash)));
  const takens = new Map<Claimed, Taken>();
  for (const bundle of bundles.values()) {
    const taken = {
      hashes: bundle.map(({ hash }) => hash),
      left: bundle.length,
      answer: { kind: 'acknowledged' } as const,
    };
    for (const one of bundle) takens.set(one, taken);
  }
  return transactions.map((one) => [one, takens.get(one) as Taken]);
}

const gravity = { acknowledged: 0, released: 1, failed: 2 } as const;

/** The answer for a bundle: failed if one failed for good, else released if one was released, held back for the longest time. */
function worse(a: Answer, b: Answer): Answer {
  if (a.kind === 'released' && b.kind === 'released') return (a.notBeforeMs ?? 0) >= (b.notBeforeMs ?? 0) ? a : b;
  return gravity[a.kind] >= gravity[b.kind] ? a : b;
}
