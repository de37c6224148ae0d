import { normalPoint } from '../boundary/arguments.ts';
import type { Logger } from '../contract/options.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { sameEnd } from './chain-ring.ts';
import type { ChainCursor, ChainSource, SourceStep } from './chain-source.ts';
import { GrowingPause } from './growing-pause.ts';

/** Receives a chain. Its errors are handled as failures of the source. After an abort of `signal` it is not called. */
export interface SourceListener {
  /** Returns the points to follow the chain from, newest first. */
  begin(signal: AbortSignal): Promise<readonly ChainPoint[]>;
  /** Called if the source knows none of these points. */
  unknown(signal: AbortSignal): Promise<void>;
  /** Called when the source begins to follow the chain from this point. */
  begun(point: ChainPoint | null, signal: AbortSignal): Promise<void>;
  /** Handles one step. The next step is requested after this one is done, so a slow listener slows the source down. */
  take(step: SourceStep, signal: AbortSignal): Promise<void>;
}

/** Follows a source until `signal` aborts. If the source fails or ends, it begins again after a pause. */
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

  /** Stops following the source and begins again after the shortest pause. The pause limits frequent restarts. */
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
    const found = cursor.point && normalPoint(cursor.point);
    if (points.length > 0 && !points.some((point) => sameEnd(point, found)))
      throw new Error('the chain source found a point that is not among the points given');
    await this.#follower.begun(found, signal);
    for await (const step of stepsOf(cursor, signal)) {
      await this.#follower.take(normalStep(step), signal);
      // A rejected block does not reset the pause: a source that repeats it is asked less and less often.
      if (step.kind === 'apply') this.#pause.reset();
    }
  }
}

/** The pool answers with normal forms, and points are compared as text. */
function normalStep(step: SourceStep): SourceStep {
  switch (step.kind) {
    case 'apply':
      return { kind: 'apply', block: { ...step.block, point: normalPoint(step.block.point) } };
    case 'undo':
      return { kind: 'undo', point: step.point && normalPoint(step.point) };
  }
}

/** Ends when the signal aborts, even if the source does not end. */
async function* stepsOf({ steps }: ChainCursor, signal: AbortSignal): AsyncGenerator<SourceStep, undefined> {
  const iterator = steps[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await untilAborted(iterator.next(), signal);
      if (next === undefined || next.done === true) break;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that waits for its next block answers only when that block arrives.
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
