import type { StoreEvent } from 'mempool-core';
import { decodeEvents, type EventPage, type EventSource } from 'mempool-core/backend';
import type { Link } from '../connection/link.ts';
import type { Reply } from '../connection/script.ts';
import { blockMs, type EventFeed, type FeedReader } from './event-feed.ts';
import { type Entry, entryMark, type LogEnd, type Stretch } from './stretch.ts';

/** The calls that `EventLog` needs. */
export interface EventReader {
  /** Reads a page. `marks` are from earlier pages; the server answers whether they are still part of its history. */
  readPage(after: number, limit: number, marks: Iterable<string>): Promise<Reply<'events'>>;
  /** Returns the feed, which notifies of new events. */
  feed(): EventFeed;
  /** False if pages come from another server than the one of `link`. */
  isWhere(link: Link): boolean;
}

/** The end of the log at the last page that the server was asked for. */
interface Head extends LogEnd {
  /** The number of that question: later ones count. */
  readonly asked: number;
  /** The feed's entries then. Those of another stretch may be of another history. */
  readonly stretch: Stretch | null;
  readonly oldest: number;
  readonly maxEvents: number;
}

/**
 * The pool's events, read from its stream page by page. A page comes from the server, which compares the events delivered before with
 * those that it has. While there are listeners, a page may come from the entries that the feed has read, if these continue the log from
 * an end that the server reported.
 */
export class EventLog implements EventSource, FeedReader {
  readonly #source: EventReader;
  readonly #listeners = new Set<() => void>();
  /** Pages read since the last wake-up, by their start: many readers at the same position share one read. */
  readonly #pages = new Map<number, Promise<EventPage>>();
  /** The ends of the log when pages were read. With `#newest` they cover all events that were delivered. */
  readonly #marks = new Set<string>();
  /** The last entry of the feed that was delivered since the server compared it. */
  #newest: Entry | null = null;
  /** How often the server lost events, or the pool was created again. */
  #rewinds = 0;
  #asked = 0;
  #head: Head | null = null;
  /** Whether the feed's entries go on at the head. */
  #isFollowed = false;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #feed: EventFeed | null = null;

  constructor(source: EventReader) {
    this.#source = source;
  }

  async readEvents(after: number, limit: number): Promise<EventPage> {
    if (this.#feed === null || after === Number.MAX_SAFE_INTEGER) return this.#fetch(after, limit);
    const known = this.#fromFeed(this.#feed, after, limit);
    if (known !== null) return known;
    const page = this.#pages.get(after) ?? this.#fetch(after, limit);
    this.#pages.set(after, page);
    // An empty page, or an error, is not cached.
    const forget = () => this.#pages.delete(after);
    page.then(({ events }) => events.length > 0 || forget(), forget);
    return page;
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#feed === null) {
      this.#feed = this.#source.feed();
      this.#feed.join(this, this.#head?.last ?? 0);
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
    try {
      const { last } = await this.#fetch(Number.MAX_SAFE_INTEGER, 1);
      const { link = null, stretch, position = last } = this.#feed ?? {};
      // During a fail-over the feed may read from another server, which has no such events.
      if (link !== null && stretch !== undefined && !this.#source.isWhere(link)) this.#feed?.restart(stretch, last);
      if (last > position) this.wake();
    } catch (error) {
      if (this.#head !== null) this.#head = { ...this.#head, stretch: null };
      throw error;
    }
  }

  /** A page of the feed's entries, if they are known to be the events after `after`. */
  #fromFeed({ link, stretch }: EventFeed, after: number, limit: number): EventPage | null {
    const head = this.#head;
    if (head?.stretch !== stretch || link === null || !this.#source.isWhere(link)) return null;
    this.#isFollowed ||= stretch.goesOnAt(head);
    const found = this.#isFollowed ? stretch.read(after, limit, head.maxEvents) : null;
    if (found === null) return null;
    if (this.#newest === null || this.#newest.last < found.newest.last) this.#newest = found.newest;
    const { oldest, epoch } = head;
    return { events: found.events, oldest, last: stretch.last, epoch, rewinds: this.#rewinds };
  }

  async #fetch(after: number, limit: number): Promise<EventPage> {
    const [marks, newest, rewinds, feed] = [[...this.#marks], this.#newest, this.#rewinds, this.#feed];
    const [stretch, position] = [feed?.stretch ?? null, feed?.position ?? 0];
    this.#asked += 1;
    const asked = this.#asked;
    const sent = newest === null ? marks : [...marks, entryMark(newest)];
    const [name, oldest, last, digest, same, maxEvents, ...entries] = await this.#source.readPage(after, limit, sent);
    const [epoch, trail] = [String(name), String(digest)];
    this.#comparedAt = performance.now();
    if (stretch !== null && (same !== 1 || last < position)) feed?.restart(stretch, last);
    if (same === 1) {
      for (const mark of marks) this.#marks.delete(mark);
      if (this.#newest === newest) this.#newest = null;
    } else if (rewinds === this.#rewinds) this.#rewind();
    this.#marks.add(`${epoch}:${last}:${trail}`);
    if (this.#head === null || asked > this.#head.asked) {
      this.#head = { asked, stretch, epoch, last, trail, oldest, maxEvents };
      this.#isFollowed = false;
    }
    const events = readEntries(entries);
    const wanted = events.filter(({ eventSeq }) => eventSeq > after).slice(0, limit);
    return { events: wanted, oldest, last, epoch, rewinds: this.#rewinds };
  }

  /** Events read before are no longer valid: streams deliver `lagged` once, and start again. */
  #rewind(): void {
    this.#rewinds += 1;
    this.#marks.clear();
    this.#newest = null;
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
