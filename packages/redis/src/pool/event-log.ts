import type { StoreEvent } from 'mempool-core';
import { decodeEvents, type EventPage, type EventSource } from 'mempool-core/backend';
import type { Link } from '../connection/link.ts';
import type { Reply } from '../connection/script.ts';
import { blockMs, type EventFeed, type FeedReader } from './event-feed.ts';

/** The calls that `EventLog` needs. */
export interface EventReader {
  /** Reads a page. `marks` are from earlier pages; the server answers whether they are still part of its history. */
  readPage(after: number, limit: number, marks: Iterable<string>): Promise<Reply<'events'>>;
  /** Returns the feed, which notifies of new events. */
  feed(): EventFeed;
  /** False if pages come from another server than the one of `link`. */
  isWhere(link: Link): boolean;
}

/**
 * The pool's events, read from its stream page by page. The server compares the events delivered before with those that it has. While there
 * are listeners, the feed signals new events.
 */
export class EventLog implements EventSource, FeedReader {
  readonly #source: EventReader;
  readonly #listeners = new Set<() => void>();
  /** Pages read since the last wake-up, by their start: many readers at the same position share one read. Each gets events of its own. */
  readonly #pages = new Map<number, Promise<() => EventPage>>();
  /** The ends of one pool's log when pages were read. They cover all events that were delivered. */
  readonly #marks = new Set<string>();
  /** How often the server lost events of a pool. A pool that was created again has another epoch. */
  #rewinds = 0;
  /** The number of the last event at the newest page. */
  #last = 0;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #feed: EventFeed | null = null;

  constructor(source: EventReader) {
    this.#source = source;
  }

  async readEvents(after: number, limit: number): Promise<EventPage> {
    if (this.#feed === null || after === Number.MAX_SAFE_INTEGER) return (await this.#fetch(after, limit))();
    const read = this.#pages.get(after) ?? this.#fetch(after, limit);
    this.#pages.set(after, read);
    const page = read.then((decode) => decode());
    // An empty page, or an error, is not cached.
    const forget = () => this.#pages.delete(after);
    page.then(({ events }) => events.length > 0 || forget(), forget);
    return page;
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#feed === null) {
      this.#feed = this.#source.feed();
      this.#feed.join(this, this.#last);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#feed?.leave(this);
    this.#feed = null;
    this.#pages.clear();
  }

  wake(): void {
    this.#pages.clear();
    for (const listener of this.#listeners) listener();
    // While there is always something to read, no read of the feed is empty.
    if (performance.now() - this.#comparedAt > blockMs) this.verify().catch(() => undefined);
  }

  async verify(): Promise<void> {
    this.#comparedAt = performance.now();
    const feed = this.#feed;
    const { last } = (await this.#fetch(Number.MAX_SAFE_INTEGER, 1))();
    const { link = null, position = last } = feed ?? {};
    // During a fail-over the feed may wait at another server, which has no such events.
    if (link !== null && !this.#source.isWhere(link)) feed?.restart(link, last);
    if (last > position) this.wake();
  }

  /** Reads a page. Each call of the answer decodes it again. */
  async #fetch(after: number, limit: number): Promise<() => EventPage> {
    const [marks, rewinds, feed] = [[...this.#marks], this.#rewinds, this.#feed];
    const { link = null, position = 0 } = feed ?? {};
    const [name, oldest, last, digest, same, ...entries] = await this.#source.readPage(after, limit, marks);
    const [epoch, trail] = [String(name), String(digest)];
    const isOfOther = (mark: string): boolean => !mark.startsWith(`${epoch}:`);
    this.#comparedAt = performance.now();
    this.#last = last;
    if (same !== 1 || last < position) feed?.restart(link, last);
    if (same === 1) for (const mark of marks) this.#marks.delete(mark);
    else if (rewinds === this.#rewinds && !marks.some(isOfOther)) this.#rewind();
    const gone = [...this.#marks].filter(isOfOther);
    for (const mark of gone) this.#marks.delete(mark);
    if (gone.length > 0) this.wake();
    this.#marks.add(`${epoch}:${last}:${trail}`);
    const page = { oldest, last, epoch, rewinds: this.#rewinds };
    return () => {
      const found = readEntries(entries).filter(({ eventSeq }) => eventSeq > after);
      return { ...page, events: found.slice(0, limit) };
    };
  }

  /** Events read before are no longer valid: streams deliver `lagged` once, and start again. */
  #rewind(): void {
    this.#rewinds += 1;
    this.#marks.clear();
    this.wake();
  }
}

/** Decodes events up to the first damaged entry. @throws `ERR_MEMPOOL_CORRUPT` if the first entry is damaged */
function readEntries(entries: readonly (readonly [last: number, packed: Buffer, at: Buffer | null])[]): StoreEvent[] {
  const events: StoreEvent[] = [];
  for (const [last, packed, at] of entries) {
    try {
      events.push(...decodeEvents(packed, last, Number(at ?? Number.NaN)));
    } catch (error) {
      if (events.length === 0) throw error;
      break;
    }
  }
  return events;
}
