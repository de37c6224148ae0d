import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { EventPage, EventSource, MempoolEvent } from '../contract/events.ts';

const pageSize = 1_000;
const retryMs = 100;

/** Where a stream starts: after which event, of which making of the pool. */
export interface StreamPosition {
  readonly after: number;
  readonly epoch: string;
}

/**
 * One reader's way through a store's events (E3): a position in the numbered log, read page by page, and a wake-up. There is
 * no queue between store and reader, so a slow reader costs nothing and loses events only when the log drops them.
 */
export class EventStream implements AsyncIterable<MempoolEvent> {
  readonly #source: EventSource;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: (stream: EventStream) => void;
  readonly #stopListening: () => void;
  #buffer: MempoolEvent[] = [];
  /** How many of the buffer are handed out: taking from an array's front costs its length. */
  #taken = 0;
  #position: number;
  #epoch: string;
  #dirty = true;
  #ended = false;
  /** Whoever read it has gone: nothing is handed out any more. */
  #isLeft = false;
  #filling: Promise<boolean> | null = null;
  #wake: (() => void) | null = null;
  /** Lets go of a page that is waited for. */
  #letGo: (() => void) | null = null;

  constructor(
    source: EventSource,
    start: StreamPosition,
    signal: AbortSignal | undefined,
    onEnd: (stream: EventStream) => void,
  ) {
    this.#source = source;
    this.#position = start.after;
    this.#epoch = start.epoch;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#stopListening = source.onEvents(() => this.#notify());
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  [Symbol.asyncIterator](): AsyncIterator<MempoolEvent, undefined> {
    const events = this.#events();
    let asked = 0;
    const answered = (): void => {
      asked -= 1;
    };
    return {
      // What is here already is handed out without a step of the generator, which costs several turns of the microtask queue.
      next: () => {
        const event = asked === 0 ? this.#ready() : undefined;
        if (event !== undefined) return Promise.resolve({ done: false, value: event });
        asked += 1;
        const step = events.next();
        step.then(answered, answered);
        return step;
      },
      return: () => {
        this.#isLeft = true;
        this.#abort();
        return events.return(undefined);
      },
    };
  }

  /** Ends the stream after what it holds: frees the listeners at once (E4). */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopListening();
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#onEnd(this);
    this.#wake?.();
  }

  /**
   * Takes in every event committed so far, then ends: what `close` promises (E4). What other nodes commit meanwhile is not
   * waited for, and a store that starts over meanwhile has nothing more of what was committed.
   */
  async drain(): Promise<void> {
    try {
      const { last, epoch } = await this.#source.readEvents(Number.MAX_SAFE_INTEGER, 1);
      // A page asked for before that may lack the last events.
      await this.#filling;
      let more = true;
      while (more && !this.#ended) more = (await this.#fill()) && this.#epoch === epoch && this.#position < last;
    } catch {
      // A store that cannot be read any more ends its streams where they are; `after` resumes them without a gap.
    }
    this.end();
  }

  readonly #abort = (): void => {
    this.#empty();
    this.end();
    this.#letGo?.();
  };

  #notify(): void {
    this.#dirty = true;
    this.#wake?.();
  }

  async *#events(): AsyncGenerator<MempoolEvent, undefined> {
    try {
      for (;;) {
        for (let event = this.#take(); event !== undefined; event = this.#take()) yield event;
        if (this.#ended) break;
        await this.#refill();
      }
      this.#signal?.throwIfAborted();
    } finally {
      this.#isLeft = true;
      this.end();
    }
    return undefined;
  }

  /** The next event, where nothing is to be waited for or thrown first. */
  #ready(): MempoolEvent | undefined {
    if (this.#isLeft || this.#signal?.aborted) return undefined;
    const event = this.#buffer[this.#taken];
    if (event !== undefined) this.#taken += 1;
    return event;
  }

  #take(): MempoolEvent | undefined {
    this.#signal?.throwIfAborted();
    const event = this.#buffer[this.#taken];
    if (event === undefined) this.#empty();
    else this.#taken += 1;
    return event;
  }

  #empty(): void {
    this.#buffer = [];
    this.#taken = 0;
  }

  /**
   * Reads on, or waits until there may be more. A store out of reach is asked again: its loss never ends the stream.
   */
  async #refill(): Promise<void> {
    if (!this.#dirty) return this.#wait();
    this.#dirty = false;
    try {
      await this.#fillUnlessAborted();
    } catch (error) {
      if (!isMempoolError(error) || !error.retryable) throw error;
      this.#dirty = true;
      await this.#wait(retryMs);
    }
  }

  /** A store out of reach may keep a page for long; who ends the stream is not kept (R3, E4). */
  #fillUnlessAborted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#letGo = resolve;
      this.#fill().then(() => resolve(), reject);
    });
  }

  #wait(timeoutMs?: number): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      const stream = this;
      function done(): void {
        clearTimeout(timer);
        stream.#wake = null;
        resolve();
      }
      this.#wake = done;
    });
  }

  /** Whether it came any further. */
  #fill(): Promise<boolean> {
    this.#filling ??= this.#readPage().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #readPage(): Promise<boolean> {
    const page = await this.#nextPage();
    if (page === null) return true;
    if (this.#signal?.aborted) return false;
    if (this.#skipped(page)) return true;
    const newest = page.events.at(-1)?.eventSeq ?? this.#position;
    if (newest <= this.#position && this.#position < page.last) throw stuck(this.#position, page.last);
    for (const event of page.events) this.#buffer.push(event);
    this.#position = newest;
    if (this.#position < page.last) this.#dirty = true;
    return page.events.length > 0;
  }

  /** The page behind the position; `null` where damage was stepped over instead. */
  async #nextPage(): Promise<EventPage | null> {
    try {
      return await this.#source.readEvents(this.#position, pageSize);
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      await this.#stepOverDamage();
      return null;
    }
  }

  /**
   * Events that cannot be read are said to be missed, as those that were trimmed are: loss never ends a stream (E3).
   */
  async #stepOverDamage(): Promise<void> {
    const { last } = await this.#source.readEvents(Number.MAX_SAFE_INTEGER, 1);
    let next = this.#position + 1;
    while (next < last && !(await this.#isReadable(next))) next += 1;
    this.#buffer.push({ kind: 'lagged', missed: next - this.#position });
    this.#position = next;
    this.#dirty = true;
  }

  async #isReadable(after: number): Promise<boolean> {
    try {
      await this.#source.readEvents(after, 1);
      return true;
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) return false;
      throw error;
    }
  }

  /** Says so once where the position is not in the log any more, and goes on from the oldest event there is. */
  #skipped(page: EventPage): boolean {
    const rewound = page.epoch !== this.#epoch || page.last < this.#position;
    if (!rewound && page.oldest <= this.#position + 1) return false;
    const read = rewound ? 0 : this.#position;
    this.#buffer.push({ kind: 'lagged', missed: page.oldest - 1 - read });
    this.#epoch = page.epoch;
    this.#position = page.oldest - 1;
    this.#dirty = true;
    return true;
  }
}

/** A backend that never gives what it says it has would be asked for ever. */
function stuck(position: number, last: number): MempoolError {
  const message = `the backend gave no event after ${position} although its last is ${last}`;
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message);
}
