import { cursorOf } from '../contract/cursor.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { EventPage, EventSource, MempoolEvent, StoreEvent } from '../contract/events.ts';

const pageSize = 1_000;
const retryMs = 100;

/** The position at which a stream starts: after event number `after` of the pool with this `epoch`. */
export interface StreamPosition {
  readonly after: number;
  readonly epoch: string;
  /** How often the store had lost commits (`EventPage`). */
  readonly rewinds: number;
  /** Deliver the events of these transactions only; default: all events. */
  readonly only?: ReadonlySet<string> | undefined;
}

/**
 * Delivers the events of a store to one reader (E3). It keeps a position in the event log, reads page by page, and
 * wakes up when the store announces new events. There is no queue between store and reader. So a slow reader uses no
 * memory, and it loses events only if the log trims them.
 */
export class EventStream implements AsyncIterable<MempoolEvent> {
  readonly #source: EventSource;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: (stream: EventStream) => void;
  readonly #stopListening: () => void;
  #buffer: MempoolEvent[] = [];
  /** Number of events of the buffer that are delivered. `Array.shift` would move all other elements. */
  #taken = 0;
  #position: number;
  #epoch: string;
  #rewinds: number;
  #dirty = true;
  #ended = false;
  /** True after the reader left the loop: no more events are delivered. */
  #isLeft = false;
  #filling: Promise<boolean> | null = null;
  #wake: (() => void) | null = null;
  /** Stops waiting for the page that is being read. */
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
    this.#rewinds = start.rewinds;
    this.#only = start.only;
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
      // Buffered events bypass the generator, because each of its steps takes several turns of the microtask queue.
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

  /** Ends the stream after its buffered events. Removes the listeners at once (E4). */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopListening();
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#onEnd(this);
    this.#wake?.();
  }

  /**
   * Reads every event committed before this call, then ends the stream, as `close` must (E4). It does not wait for events
   * that other nodes commit later. It stops if the pool is made anew meanwhile, because the older events are then gone.
   */
  async drain(): Promise<void> {
    try {
      const end = await this.#source.readEvents(Number.MAX_SAFE_INTEGER, 1);
      // A page that was requested earlier may lack the last events.
      await this.#filling;
      let more = true;
      while (more && !this.#ended) more = (await this.#fill()) && this.#isOf(end) && this.#position < end.last;
    } catch {
      // If the store cannot be read, the stream ends at its position. The reader can resume from there with `after`.
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

  /** The next buffered event; `undefined` if the buffer is empty or the stream must end first. */
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
   * Reads the next page, or waits for a notification. Retries if the store is unreachable: that never ends the stream.
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

  /** Reads a page, but stops waiting at an abort: an unreachable store may take long to answer (R3, E4). */
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

  /** Reads one page. A call during a read waits for the same page. Resolves to false if there is nothing new. */
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
    for (const event of page.events)
      if (this.#only === undefined || ('hash' in event && this.#only.has(event.hash)))
        this.#buffer.push(delivered(event, cursorOf('events', event.eventSeq, page.epoch)));
    this.#position = newest;
    if (this.#position < page.last) this.#dirty = true;
    return page.events.length > 0;
  }

  /** The page after the position; `null` if a damaged event was skipped instead. */
  async #nextPage(): Promise<EventPage | null> {
    try {
      return await this.#source.readEvents(this.#position, pageSize);
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      await this.#stepOverDamage();
      return null;
    }
  }

  /** Skips the damaged events and reports them as missed, as trimmed events are: a loss never ends a stream (E3). */
  async #stepOverDamage(): Promise<void> {
    const { last } = await this.#source.readEvents(Number.MAX_SAFE_INTEGER, 1);
    let next = this.#position + 1;
    while (next < last && !(await this.#isReadable(next))) next += 1;
    const missed = next - this.#position;
    this.#position = next;
    this.#lagged(missed, false);
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

  /**
   * If the log no longer holds the position, adds one `lagged` event, continues at the oldest event, and returns true.
   */
  #skipped(page: EventPage): boolean {
    const rewound = !this.#isOf(page) || page.last < this.#position;
    if (!rewound && page.oldest <= this.#position + 1) return false;
    const read = rewound ? 0 : this.#position;
    const restarted = page.epoch !== this.#epoch;
    this.#epoch = page.epoch;
    this.#rewinds = page.rewinds ?? 0;
    this.#position = page.oldest - 1;
    this.#lagged(page.oldest - 1 - read, restarted);
    this.#dirty = true;
    return true;
  }

  /** True if the page continues the pool that the stream reads. */
  #isOf({ epoch, rewinds = 0 }: EventPage): boolean {
    return epoch === this.#epoch && rewinds === this.#rewinds;
  }

  #lagged(missed: number, restarted: boolean): void {
    const cursor = cursorOf('events', this.#position, this.#epoch);
    this.#buffer.push({ kind: 'lagged', missed, restarted, cursor });
  }
}

/** Adds the cursor to the event that the driver made: a copy of each event would cost more than its delivery. */
function delivered(event: StoreEvent & { cursor?: string }, cursor: string): MempoolEvent {
  event.cursor = cursor;
  return event as MempoolEvent;
}

/** The error for a backend that returns no events although it has more: without it the stream would read forever. */
function stuck(position: number, last: number): MempoolError {
  const message = `the backend returned no event after ${position}, although its last event is ${last}`;
  return new MempoolError('ERR_MEMPOOL_INTERNAL', message);
}
