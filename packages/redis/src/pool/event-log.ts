import { setTimeout as pause } from 'node:timers/promises';
import type { StoreEvent } from 'mempool-core';
import { decodeEvents, type EventPage, type EventSource } from 'mempool-core/backend';
import type { Connection } from '../connection/connection.ts';
import type { Reply } from '../connection/script.ts';

/** How long a waiting read lasts: only its end shows a pool that was flushed under it. */
const blockMs = 1_000;
/** How long its answer may take beyond that: a connection that is silent for two reads is made anew. */
const answerMs = 1_000;
const longestPauseMs = 100;

/** What `EventLog` needs of its node. */
export interface EventReader {
  /** `marks`: what earlier pages found, which the server compares with what it has now. */
  readPage(after: number, limit: number, marks: Iterable<string>): Promise<Reply<'events'>>;
  /** A new connection, for reads that wait. */
  connect(): Connection;
  readonly key: string;
}

/** The pool's events: pages of the stream on the server and, while there are listeners, a wait for what is written. */
export class EventLog implements EventSource {
  readonly #source: EventReader;
  readonly #listeners = new Set<() => void>();
  /** Pages read since the last wake-up, by where they begin: many readers at one place cost the server one read. */
  readonly #pages = new Map<number, Promise<EventPage>>();
  /** Where the waiting read goes on from. */
  #last = 0;
  /** Where the log ended when pages were read: all that was handed out lies before these. */
  readonly #marks = new Set<string>();
  /** How often the server went back in time, or the pool was made anew: to a stream each is another epoch. */
  #rewinds = 0;
  #reader: Connection | null = null;

  constructor(source: EventReader) {
    this.#source = source;
  }

  async readEvents(after: number, limit: number): Promise<EventPage> {
    if (this.#reader === null || after === Number.MAX_SAFE_INTEGER) return this.#fetch(after, limit);
    const page = this.#pages.get(after) ?? this.#fetch(after, limit);
    this.#pages.set(after, page);
    // Where there was nothing, or no answer, it is asked for again.
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
    return { events: wanted, oldest, last, epoch: `${epoch}:${this.#rewinds}` };
  }

  /** Nothing read before is to be trusted: streams say `lagged`, once, and begin again. */
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
        // After a failure a short read first: that it comes back shows that the connection does.
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

  /** Whether there is something behind `#last`, now or before the time is up. */
  async #await(reader: Connection, waitMs: number): Promise<boolean> {
    const from = `${this.#last}-${Number.MAX_SAFE_INTEGER}`;
    const args = ['COUNT', 100, 'BLOCK', waitMs, 'STREAMS', this.#source.key, from];
    type Entries = [id: Buffer, fields: Buffer[]][];
    const reply = await reader.send<[[key: Buffer, Entries]] | null>('XREAD', args, waitMs + answerMs);
    const newest = reply?.[0][1].at(-1)?.[0];
    if (newest !== undefined) this.#last = Number.parseInt(String(newest), 10);
    return newest !== undefined;
  }
}

/** Up to the first that is damaged. @throws `ERR_MEMPOOL_CORRUPT` where that is the first of all */
function readEntries(entries: readonly (readonly [last: number, packed: Buffer])[]): StoreEvent[] {
  const events: StoreEvent[] = [];
  for (const [last, packed] of entries) {
    try {
      events.push(...decodeEvents(packed, last));
    } catch (error) {
      if (events.length === 0) throw error;
      break;
    }
  }
  return events;
}
