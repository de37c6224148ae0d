import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, MempoolError } from 'mempool-core';
import { type Awaitable, type RetryOptions, retryUntil } from 'mempool-core/backend';
import { WriteGaps } from './write-gaps.ts';

/** Other processes write for some milliseconds at a time. A pause that grew would let those win that have just written. */
const longestPauseMs = 5;
const longestTimerMs = 2 ** 31 - 1;

export interface WriteOptions extends RetryOptions {
  /** Runs before each attempt takes the write lock. It may throw `NotReady`. */
  readonly before?: () => void;
  /** Runs when another process has the lock, before the pause. Work that an attempt needs does not delay it then. */
  readonly meanwhile?: () => void;
}

/** An attempt throws it if it can succeed only after some work, which goes on by itself. */
export class NotReady extends Error {
  readonly work: Promise<unknown>;

  constructor(work: Promise<unknown>) {
    super('the call has to wait for other work');
    this.work = work;
    work.catch(() => undefined);
  }
}

/** Repeats `attempt` while the file is busy, as `retryUntil` does, with pauses that do not grow (X5), and after work that it needs. */
export function whileBusy<T>(options: RetryOptions, attempt: () => Promise<T> | T): Promise<T> {
  const { clock, signal } = options;
  const pauseMs = () => 1 + Math.random() * (longestPauseMs - 1);
  return retryUntil({ ...options, pauseMs }, async (timeoutMs) => {
    const deadline = clock() + timeoutMs;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        await inTime(error.work, { timeoutMs: deadline - clock(), signal });
      }
    }
  });
}

/**
 * The writes of one connection, one at a time, in the order of the calls (M2). SQLite never waits for the lock, because that would block
 * the event loop: a busy write is tried again, and later ones wait for it.
 */
export class WriteTurns {
  readonly #gaps = new WriteGaps();
  /** Resolves when every write made so far has ended; `null` if none waits. */
  #last: Promise<unknown> | null = null;

  /** Notes that another process writes. */
  meet(): void {
    this.#gaps.meet();
  }

  /** Resolves when every write made so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** Runs `write`. Returns no promise if nothing has to wait. @throws as `retryUntil` */
  run<T>(options: WriteOptions, write: () => T): Awaitable<T> {
    const attempt = () => {
      options.before?.();
      return this.#carryOut(write, options);
    };
    if (this.#last !== null || this.#gaps.remainingMs > 0) return this.#enqueue(options, attempt);
    try {
      return attempt();
    } catch (error) {
      return this.#enqueue(options, failedOnce(error, attempt));
    }
  }

  #enqueue<T>(options: WriteOptions, attempt: () => T): Promise<T> {
    const before = this.#last;
    const written = before === null ? this.#attempts(options, attempt) : this.#afterOthers(options, before, attempt);
    const last = Promise.allSettled([before, written]);
    this.#last = last;
    void last.then(() => {
      if (this.#last === last) this.#last = null;
    });
    return written;
  }

  async #afterOthers<T>(options: WriteOptions, before: Promise<unknown>, attempt: () => T): Promise<T> {
    const { clock, timeoutMs } = options;
    const deadline = clock() + timeoutMs;
    await inTime(before, options);
    return this.#attempts({ ...options, timeoutMs: Math.max(1, deadline - clock()) }, attempt);
  }

  #attempts<T>(options: WriteOptions, attempt: () => T): Promise<T> {
    return whileBusy(options, async () => {
      const gapMs = this.#gaps.remainingMs;
      if (gapMs > 0) await delay(gapMs);
      // The connection may have been closed meanwhile.
      options.signal?.throwIfAborted();
      return attempt();
    });
  }

  #carryOut<T>(write: () => T, { meanwhile }: WriteOptions): T {
    this.#gaps.begin();
    try {
      const answer = write();
      this.#gaps.end();
      return answer;
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) {
        this.#gaps.meet();
        meanwhile?.();
      } else this.#gaps.end();
      throw error;
    }
  }
}

/** `attempt`, whose first run has failed already. */
function failedOnce<T>(error: unknown, attempt: () => T): () => T {
  let hasFailed = true;
  return () => {
    if (!hasFailed) return attempt();
    hasFailed = false;
    throw error;
  };
}

/** Waits for work that goes on if the wait ends. @throws the reason of the signal; `ERR_MEMPOOL_UNAVAILABLE` when the time is over */
export function inTime(
  work: Promise<unknown>,
  { timeoutMs, signal }: Pick<RetryOptions, 'timeoutMs' | 'signal'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'earlier work on the file takes longer'));
    const timer = setTimeout(late, Math.min(Math.max(1, Math.ceil(timeoutMs)), longestTimerMs));
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    work.then(() => resolve(), reject).finally(end);
  });
}
