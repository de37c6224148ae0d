import { setTimeout as pause } from 'node:timers/promises';
import { decodeEvents, type EventPage, type EventSource, type StoreEvent } from 'mempool-core';
import type { Connection } from './connection.ts';
import { asBytes, asList, asNumber, asText, type Reply } from './reply.ts';

/** Events kept in memory while somebody listens, so that many readers cost the server one. */
const maxRecent = 20_000;
/** How long a waiting read lasts: only its end shows a pool that was flushed under it. */
const blockMs = 1_000;
const answerMs = 5_000;
const longestPauseMs = 100;

/** What `EventLog` needs of its node. */
export interface EventReader {
  /** The answer of lua/events.lua. */
  readPage(after: number, limit: number): Promise<Reply>;
  /** A new connection, for reads that wait. */
  connect(): Connection;
  readonly key: string;
}

/** The pool's events: the stream on the server and, while there are listeners, the newest of it in memory. */
export class EventLog implements EventSource {
  readonly #source: EventReader;
  readonly #listeners = new Set<() => void>();
  /** Without gaps up to `#last`. */
  #recent: StoreEvent[] = [];
  #last = 0;
  #oldest = 1;
  #epoch = '';
  #reader: Connection | null = null;

  constructor(source: EventReader) {
    this.#source = source;
  }

  async readEvents(after: number, limit: number): Promise<EventPage> {
    const first = this.#last - this.#recent.length + 1;
    if (after + 1 < first || after >= this.#last) return this.#fetch(after, limit);
    const events = this.#recent.slice(after + 1 - first, after + 1 - first + limit);
    return { events, oldest: this.#oldest, last: this.#last, epoch: this.#epoch };
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
    this.#recent = [];
  }

  /** From the server. Without a reader it also tells where one would begin. */
  async #fetch(after: number, limit: number): Promise<EventPage> {
    const reply = asList(await this.#source.readPage(after, limit));
    const epoch = asText(reply[0]);
    const [oldest, last] = [asNumber(reply[1]), asNumber(reply[2])];
    if (this.#reader === null || epoch !== this.#epoch || last < this.#last) this.#restart(epoch, last);
    this.#oldest = oldest;
    const events: StoreEvent[] = [];
    for (let i = 3; i < reply.length; i += 2) events.push(...decodeEvents(asBytes(reply[i + 1]), asNumber(reply[i])));
    return { events: events.filter(({ eventSeq }) => eventSeq > after).slice(0, limit), oldest, last, epoch };
  }

  #restart(epoch: string, last: number): void {
    this.#epoch = epoch;
    this.#last = last;
    this.#recent = [];
    this.#wake();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Waits on a connection of its own for what is written, as long as anybody listens. */
  async #follow(): Promise<void> {
    const reader = this.#source.connect();
    this.#reader = reader;
    for (let failures = 1; this.#reader === reader; ) {
      try {
        // After a failure a short read first: that it comes back shows that the connection does.
        await this.#readOn(reader, failures > 0 ? 1 : blockMs);
        if (failures > 0) await this.#resume();
        failures = 0;
      } catch {
        failures += 1;
        await pause(Math.min(longestPauseMs, 2 ** failures), undefined, { ref: false });
      }
    }
  }

  async #readOn(reader: Connection, waitMs: number): Promise<void> {
    const from = `${this.#last}-${Number.MAX_SAFE_INTEGER}`;
    const args = ['COUNT', 16, 'BLOCK', waitMs, 'STREAMS', this.#source.key, from];
    const reply = await reader.command('XREAD', args, waitMs + answerMs);
    if (this.#reader !== reader) return;
    if (reply === null || !this.#take(reply)) await this.#fetch(Number.MAX_SAFE_INTEGER, 1);
    else this.#wake();
  }

  /** The server may have been replaced by one that lacks the newest events: nothing in memory counts any more. */
  async #resume(): Promise<void> {
    this.#recent = [];
    await this.#fetch(Number.MAX_SAFE_INTEGER, 1);
    this.#wake();
  }

  /** Keeps the entries read. False when they are another pool's, made anew under the same key. */
  #take(reply: Reply): boolean {
    for (const entry of asList(asList(asList(reply)[0])[1])) {
      const [id, fields] = asList(entry);
      const [epoch, packed] = asList(fields);
      if (asText(epoch) !== this.#epoch) return false;
      const last = Number.parseInt(asText(id), 10);
      if (last <= this.#last) continue;
      const events = decodeEvents(asBytes(packed), last);
      if (last - events.length > this.#last) this.#recent = [];
      for (const event of events) if (event.eventSeq > this.#last) this.#recent.push(event);
      this.#last = last;
    }
    if (this.#recent.length > maxRecent) this.#recent = this.#recent.slice(-maxRecent / 2);
    return true;
  }
}
