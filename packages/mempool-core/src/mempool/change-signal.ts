import { setTimeout as delay } from 'node:timers/promises';
import { unlessAborted } from '../boundary/unless-aborted.ts';
import { MempoolError } from '../contract/errors.ts';
import type { PoolReads } from './pool-reads.ts';

/** A subscription that only counts events, as a version number. */
export class ChangeSignal {
  holders = 0;
  /** Resolves when the subscription is established and misses no later event. */
  readonly ready: Promise<unknown>;
  readonly #ending = new AbortController();
  #version = 0;
  #next: PromiseWithResolvers<void> = Promise.withResolvers();
  #isOver = false;

  constructor(reads: PoolReads) {
    this.#next.promise.catch(() => undefined);
    const events = reads.subscribe({ signal: this.#ending.signal });
    this.ready = events;
    void this.#listen(events);
  }

  /** Rises with every event. To miss no change, read it first, then read the pool, then wait for the next version. */
  get version(): number {
    return this.#version;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Resolves when `version` is greater than `after`.
   * @throws the signal's reason; the error that ended the subscription
   */
  async next(after: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#version > after && !this.#isOver) return;
    await unlessAborted(this.#next.promise, signal);
  }

  notify(): void {
    if (this.#isOver) return;
    this.#version += 1;
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    this.#next.promise.catch(() => undefined);
    resolve();
  }

  end(): void {
    this.#ending.abort();
  }

  async #listen(events: Promise<AsyncIterable<unknown>>): Promise<void> {
    let reason: unknown = new MempoolError('ERR_MEMPOOL_CLOSED', 'the mempool is closed');
    try {
      for await (const _ of await events) this.notify();
    } catch (error) {
      reason = error;
    }
    this.#isOver = true;
    this.#next.reject(reason);
  }
}

/** How often a waiter looks while transactions are held back: as often as a `Mempool` sweeps. */
const againMs = 1_000;

/** The subscription that all callers share which wait for the pool to change. It ends when the last of them stops waiting. */
export class ChangeSignals {
  readonly #reads: PoolReads;
  #changes: ChangeSignal | null = null;

  constructor(reads: PoolReads) {
    this.#reads = reads;
  }

  /**
   * Returns the shared signal. Call `release` when it is no longer needed.
   * @throws the signal's reason; the error of the subscription
   */
  async hold(signal: AbortSignal | undefined): Promise<ChangeSignal> {
    if (this.#changes === null || this.#changes.isOver) this.#changes = new ChangeSignal(this.#reads);
    const changes = this.#changes;
    changes.holders += 1;
    try {
      await unlessAborted(changes.ready, signal);
    } catch (error) {
      this.release(changes);
      throw error;
    }
    return changes;
  }

  /**
   * Resolves when a transaction may have become ready after `version`. Waking a held transaction makes no event (P20), so
   * while any is held, it also resolves after a second.
   *
   * @throws as `ChangeSignal.next`
   */
  async next(changes: ChangeSignal, version: number, signal: AbortSignal | undefined): Promise<void> {
    const { held } = await this.#reads.usage({ signal });
    return held === 0 ? changes.next(version, signal) : this.#nextOrAgain(changes, version, signal, true);
  }

  /**
   * Resolves when the pool has changed after `version`, or after a second. The second does not keep the process alive.
   *
   * @throws as `ChangeSignal.next`
   */
  nextOrAgain(changes: ChangeSignal, version: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#nextOrAgain(changes, version, signal, false);
  }

  /** `ref`: whether the timer keeps the process alive. */
  async #nextOrAgain(
    changes: ChangeSignal,
    version: number,
    signal: AbortSignal | undefined,
    ref: boolean,
  ): Promise<void> {
    const over = new AbortController();
    const changed = changes.next(version, AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]));
    changed.catch(() => undefined);
    const timer = delay(againMs, undefined, { signal: over.signal, ref }).catch(() => undefined);
    try {
      await Promise.race([changed, timer]);
    } finally {
      over.abort();
    }
  }

  release(changes: ChangeSignal): void {
    changes.holders -= 1;
    if (changes.holders > 0) return;
    changes.end();
    if (this.#changes === changes) this.#changes = null;
  }

  /** Wakes all waiters after a change that writes no event. */
  notify(): void {
    this.#changes?.notify();
  }
}
