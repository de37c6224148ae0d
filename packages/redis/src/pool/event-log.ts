import { setTimeout as pause } from 'node:timers/promises';
import type { StoreEvent } from 'mempool-core';
import { decodeEvents, type EventPage, type EventSource } from 'mempool-core/backend';
import type { Link } from '../connection/link.ts';
import type { Reply } from '../connection/script.ts';

/** Duration of a blocking read. A pool that was flushed meanwhile is noticed only when the read ends. */
const blockMs = 1_000;
/** How long the answer may take beyond that. Then the connection is replaced. */
const answerMs = 1_000;
const longestPauseMs = 100;

/** The calls that `EventLog` needs. */
export interface EventReader {
  /** `marks`: from earlier pages; the server tells whether they still hold. */
  readPage(after: number, limit: number, marks: Iterable<string>): Promise<Reply<'events'>>;
  /** Opens a connection for blocking reads. */
  connect(): Link;
  readonly key: string;
}

/** The pool's events: reads pages of the stream on the server and, while there are listeners, waits for new entries. */
export class EventLog implements EventSource {
  readonly #source: EventReader;
  readonly #listeners = new Set<() => void>();
  /** Pages read since the last wake-up, by their start: many readers at the same position share one read. */
  readonly #pages = new Map<number, Promise<EventPage>>();
  /** The blocking read waits for events after this number. */
  #last = 0;
  /** The ends of the log when pages were read. They cover all events that were delivered. */
  readonly #marks = new Set<string>();
  /** How often the server lost events, or the pool was created again. */
  #rewinds = 0;
  #reader: Link | null = null;

  constructor(source: EventReader) {
    this.#source = source;
  }

  async readEvents(after: number, limit: number): Promise<EventPage> {
    if (this.#reader === null || after === Number.MAX_SAFE_INTEGER) return this.#fetch(after, limit);
    const page = this.#pages.get(after) ?? this.#fetch(after, limit);
    this.#pages.set(after, page);
    // An empty page, or an error, is not cached.
    const forget = () => this.#pages.delete(after);
    page.then(({ events }) => events.length > 0 || forget(), forget);
    return page;
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#reader === null) void this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
    this.#pages.clear();
  }

  async #fetch(after: number, limit: number): Promise<EventPage> {
    const [marks, rewinds] = [[...this.#marks], this.#rewinds];
    const [epoch, oldest, last, trail, same, ...entries] = await this.#source.readPage(after, limit, marks);
    if (this.#reader === null || last < this.#last) this.#last = last;
    if (same === 1) for (const mark of marks) this.#marks.delete(mark);
    else if (rewinds === this.#rewinds) this.#rewind(last);
    this.#marks.add(`${epoch}:${last}:${trail}`);
    const events = readEntries(entries);
    const wanted = events.filter(({ eventSeq }) => eventSeq > after).slice(0, limit);
    return { events: wanted, oldest, last, epoch: String(epoch), rewinds: this.#rewinds };
  }

  /** Events read before are no longer valid: streams deliver `lagged` once, and start again. */
  #rewind(last: number): void {
    this.#rewinds += 1;
    this.#marks.clear();
    this.#last = last;
    this.#wake();
  }

  #wake(): void {
    this.#pages.clear();
    for (const listener of this.#listeners) listener();
  }

  async #follow(): Promise<void> {
    const reader = this.#source.connect();
    this.#reader = reader;
    for (let failures = 1; this.#reader === reader; ) {
      try {
        // After a failure a short read first, which shows whether the connection works again.
        const found = await this.#await(reader, failures > 0 ? 1 : blockMs);
        if (!found) await this.#fetch(Number.MAX_SAFE_INTEGER, 1);
        if (found || failures > 0) this.#wake();
        failures = 0;
      } catch {
        failures += 1;
        await pause(Math.min(longestPauseMs, 2 ** failures), undefined, { ref: false });
      }
    }
  }

  /** Waits for events after `#last`. True if there are any within `waitMs`. */
  async #await(reader: Link, waitMs: number): Promise<boolean> {
    const from = `${this.#last}-${Number.MAX_SAFE_INTEGER}`;
    const args = ['COUNT', 100, 'BLOCK', waitMs, 'STREAMS', this.#source.key, from];
    type Entries = [id: Buffer, fields: Buffer[]][];
    const reply = await reader.read<[[key: Buffer, Entries]] | null>('XREAD', args, waitMs + answerMs);
    const newest = reply?.[0][1].at(-1)?.[0];
    if (newest !== undefined) this.#last = Number.parseInt(String(newest), 10);
    return newest !== undefined;
  }
}

/** Decodes events up to the first damaged entry. @throws `ERR_MEMPOOL_CORRUPT` if the first entry is damaged */
function readEntries(entries: readonly (readonly [last: number, packed: Buffer, at: Buffer | null])[]): StoreEvent[] {
  const events: StoreEvent[] = [];
  for (const [last, packed, at] of entries) {
    try {
      // An older version wrote entries without a time.
      events.push(...decodeEvents(packed, last, at === null ? null : Number(at)));
    } catch (error) {
      if (events.length === 0) throw error;
      break;
    }
  }
  return events;
}
