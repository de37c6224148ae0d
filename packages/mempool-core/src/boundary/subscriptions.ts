import type { Position } from '../contract/cursor.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { EventPage, EventSource, MempoolEvent } from '../contract/events.ts';
import { EventStream, type StreamPosition } from './event-stream.ts';

/** The event streams of one store. */
export class Subscriptions {
  readonly #events: EventSource;
  readonly #streams = new Set<EventStream>();
  /** The pool and its rewinds when the last stream was opened. */
  #seen: Pick<StreamPosition, 'epoch' | 'rewinds'> | null = null;

  constructor(events: EventSource) {
    this.#events = events;
  }

  /**
   * Returns a stream that starts after the position, or with the next commit if `from` is `null` (E3).
   * @param only deliver the events of these transactions only
   */
  async open(
    from: Position | null,
    signal: AbortSignal | undefined,
    only?: ReadonlySet<string>,
  ): Promise<AsyncIterable<MempoolEvent>> {
    const page = await this.#firstPage(from?.number ?? Number.MAX_SAFE_INTEGER);
    signal?.throwIfAborted();
    const stream = new EventStream(this.#events, { ...this.#start(from, page), only }, signal, (ended) =>
      this.#streams.delete(ended),
    );
    this.#streams.add(stream);
    return stream;
  }

  /** Ends all streams after the events committed so far (E4). */
  async drain(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.drain()));
  }

  /** One page, for its numbers. If the event is damaged, reads past the end; the stream reports the event as missed. */
  async #firstPage(after: number): Promise<EventPage> {
    try {
      return await this.#events.readEvents(after, 1);
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      return this.#events.readEvents(Number.MAX_SAFE_INTEGER, 1);
    }
  }

  /**
   * The position at which a stream starts. If `from` is greater than the last event, or if the store lost commits since
   * the last stream was opened, the position has rewinds that are not the store's. The stream then reports a loss (E3),
   * even if the pool reaches that number before its first read.
   */
  #start(from: Position | null, { last, epoch, rewinds = 0 }: EventPage): StreamPosition {
    const before = this.#seen?.epoch === epoch ? this.#seen.rewinds : rewinds;
    this.#seen = { epoch, rewinds };
    if (from === null) return { after: last, epoch, rewinds };
    if (from.epoch === null) return { after: from.number, epoch, rewinds };
    return { after: from.number, epoch: from.epoch, rewinds: from.number > last ? noRewinds : before };
  }
}

/** A number of rewinds that no store has. */
const noRewinds = -1;
