import { unlessAborted } from '../boundary/unless-aborted.ts';
import { MempoolError } from '../contract/errors.ts';
import type { MempoolStore } from '../contract/store.ts';

/** One subscription, of which only matters that something happened. */
export class ChangeSignal {
  holders = 0;
  /** Resolves when no later event is missed. */
  readonly ready: Promise<unknown>;
  readonly #ending = new AbortController();
  #version = 0;
  #next: PromiseWithResolvers<void> = Promise.withResolvers();
  #isOver = false;

  constructor(store: MempoolStore) {
    this.#next.promise.catch(() => undefined);
    const events = store.subscribe({ signal: this.#ending.signal });
    this.ready = events;
    void this.#listen(events);
  }

  /** Rises with everything that happens. Read it, then look, then wait for the next one: nothing is missed between. */
  get version(): number {
    return this.#version;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @throws the signal's reason, what ended the subscription */
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

/** Everybody who waits for the pool to change shares one pulse, which ends when nobody does. */
export class ChangeSignals {
  readonly #store: MempoolStore;
  #changes: ChangeSignal | null = null;

  constructor(store: MempoolStore) {
    this.#store = store;
  }

  /** To be given back by `release`. @throws the signal's reason, why nothing can be heard */
  async hold(signal: AbortSignal | undefined): Promise<ChangeSignal> {
    if (this.#changes === null || this.#changes.isOver) this.#changes = new ChangeSignal(this.#store);
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

  release(changes: ChangeSignal): void {
    changes.holders -= 1;
    if (changes.holders > 0) return;
    changes.end();
    if (this.#changes === changes) this.#changes = null;
  }

  /** For what changes the pool without an event. */
  notify(): void {
    this.#changes?.notify();
  }
}
