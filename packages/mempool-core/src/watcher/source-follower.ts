import type { Logger } from '../contract/options.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { sameEnd } from './chain-ring.ts';
import type { ChainCursor, ChainSource, SourceStep } from './chain-source.ts';
import { GrowingPause } from './growing-pause.ts';

/**
 * Who wants to see a chain. What it throws counts as a failure of the source. Nothing is told to it after `signal` has
 * aborted.
 */
export interface SourceListener {
  /** From where on: points, newest first. */
  begin(signal: AbortSignal): Promise<readonly ChainPoint[]>;
  /** The source knows none of them. */
  unknown(signal: AbortSignal): Promise<void>;
  /** The chain is followed from here. */
  begun(point: ChainPoint | null, signal: AbortSignal): Promise<void>;
  /** The next step is asked for when this one is done: a slow follower holds its source back. */
  take(step: SourceStep, signal: AbortSignal): Promise<void>;
}

/** Follows a source for as long as it is told to: one that fails or ends is asked again after a pause. */
export class SourceFollower {
  readonly #source: ChainSource;
  readonly #follower: SourceListener;
  readonly #log: Logger;
  readonly #pause = new GrowingPause();
  #pass = new AbortController();

  constructor(source: ChainSource, follower: SourceListener, log: Logger) {
    this.#source = source;
    this.#follower = follower;
    this.#log = log;
  }

  /**
   * Lets go of the source as it is followed now and begins again, after the shortest pause: who asks often is held back
   * too.
   */
  again(): void {
    this.#pause.reset();
    this.#pass.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#pass = new AbortController();
      const pass = AbortSignal.any([signal, this.#pass.signal]);
      try {
        await this.#once(pass);
        if (!pass.aborted) this.#log('warn', 'the chain source ended');
      } catch (error) {
        if (!pass.aborted) this.#log('warn', 'the chain source failed', { error });
      }
      await this.#pause.wait(pass.aborted ? signal : pass);
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    const points = await this.#follower.begin(signal);
    const cursor = await untilAborted(this.#source.intersect(points, { signal }), signal);
    if (signal.aborted || cursor === undefined) return;
    if (cursor === null) return this.#follower.unknown(signal);
    if (points.length > 0 && !points.some((point) => sameEnd(point, cursor.point)))
      throw new Error('the chain source found a point that it was not asked for');
    await this.#follower.begun(cursor.point, signal);
    for await (const step of stepsOf(cursor, signal)) {
      await this.#follower.take(step, signal);
      // A source that gives a wrong block again and again is not asked without end.
      if (step.kind === 'apply') this.#pause.reset();
    }
  }
}

/** Ends with the signal even where the source does not. */
async function* stepsOf({ steps }: ChainCursor, signal: AbortSignal): AsyncGenerator<SourceStep, undefined> {
  const iterator = steps[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await untilAborted(iterator.next(), signal);
      if (next === undefined || next.done === true) break;
      yield next.value;
    }
  } finally {
    // Not waited for: a source that still waits for its next block answers when that comes.
    iterator.return?.().catch(() => undefined);
  }
  return undefined;
}

/** The answer, or `undefined` once the signal has aborted. */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const abort = (): void => aborted.resolve(undefined);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
