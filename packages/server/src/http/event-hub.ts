import { setImmediate } from 'node:timers/promises';
import { type Mempool, type MempoolEvent, toJson } from 'mempool-core';

/** An event as clients get it. The bytes are made once and shared by all clients. */
export interface SentEvent {
  readonly event: MempoolEvent;
  readonly bytes: Uint8Array;
}

/** Gets live events. */
export interface LiveReader {
  /** An event came. It must not block. */
  take(sent: SentEvent): void;
  /** No more events come: the pool closed, or its store failed. */
  end(): void;
}

/** So many bytes go to each client before the sockets get their turn. */
const sliceBytes = 32 * 1024;
const maxRingEvents = 8_192;
const maxRingBytes = 4 * 1024 * 1024;
const encoder = new TextEncoder();

/** The event as server-sent events say it: its cursor is the id, so a browser resumes there by itself. */
export function sentEvent(event: MempoolEvent): SentEvent {
  const text = `id: ${event.cursor}\nevent: ${event.kind}\ndata: ${JSON.stringify(toJson(event))}\n\n`;
  return { event, bytes: encoder.encode(text) };
}

/**
 * One subscription of the pool, shared by all clients that are up to date, so that a thousand clients do not read the
 * event log a thousand times. It keeps the last events, so that a client that was away for a moment needs no
 * subscription of its own either.
 */
export class EventHub {
  readonly #pool: Mempool;
  readonly #readers = new Set<LiveReader>();
  readonly #ending = new AbortController();
  #ring: SentEvent[] = [];
  #ringBytes = 0;
  /** The number of the first event of the ring, counted from the start of the hub. */
  #first = 0;
  /** The number of each event of the ring, by its cursor. */
  readonly #numbers = new Map<string, number>();
  /** The position after the last event: the id to resume from. */
  #cursor = '';
  #ready: Promise<void> | null = null;
  #ended = false;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  /** Starts the subscription, at the first call. @throws the pool's error */
  start(): Promise<void> {
    this.#ready ??= this.#subscribe().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  /** The position after the last event that the readers got. */
  get cursor(): string {
    return this.#cursor;
  }

  /** The events after this cursor, as far as the ring has them all; else `null`. */
  after(cursor: string): readonly SentEvent[] | null {
    if (cursor === this.#cursor) return [];
    const number = this.#numbers.get(cursor);
    return number === undefined ? null : this.#ring.slice(number - this.#first + 1);
  }

  /** From now on the reader gets every event. Returns its removal. */
  add(reader: LiveReader): () => void {
    if (this.#ended) reader.end();
    else this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Ends the subscription and all readers. */
  stop(): void {
    this.#ending.abort();
    this.#end();
  }

  async #subscribe(): Promise<void> {
    const { cursors } = await this.#pool.usage();
    this.#cursor = cursors.events;
    const events = await this.#pool.subscribe({ after: cursors.events, signal: this.#ending.signal });
    // A failed subscription ends the clients, and they come back: the next one starts another.
    this.#read(events).then(
      () => this.#end(),
      () => this.#restart(),
    );
  }

  async #read(events: AsyncIterable<MempoolEvent>): Promise<void> {
    let bytes = 0;
    for await (const event of events) {
      const sent = sentEvent(event);
      this.#keep(sent);
      for (const reader of this.#readers) reader.take(sent);
      bytes += sent.bytes.length;
      if (bytes < sliceBytes) continue;
      bytes = 0;
      // A commit may have more events than a queue may hold: the sockets take theirs first.
      await setImmediate();
    }
  }

  #keep(sent: SentEvent): void {
    // What came before lost events is no history of what comes after.
    if (sent.event.kind === 'lagged') this.#forget(this.#ring.length);
    this.#numbers.set(sent.event.cursor, this.#first + this.#ring.length);
    this.#ring.push(sent);
    this.#ringBytes += sent.bytes.length;
    this.#cursor = sent.event.cursor;
    if (this.#ring.length > maxRingEvents || this.#ringBytes > maxRingBytes) this.#forget(this.#ring.length >> 2);
  }

  #forget(count: number): void {
    for (const { event, bytes } of this.#ring.splice(0, count)) {
      this.#numbers.delete(event.cursor);
      this.#ringBytes -= bytes.length;
    }
    this.#first += count;
  }

  #end(): void {
    this.#ended = true;
    this.#endReaders();
  }

  #restart(): void {
    if (this.#ending.signal.aborted) {
      this.#end();
      return;
    }
    this.#ready = null;
    this.#forget(this.#ring.length);
    // Nobody may join before the next subscription begins.
    this.#cursor = '';
    this.#endReaders();
  }

  #endReaders(): void {
    const readers = [...this.#readers];
    this.#readers.clear();
    for (const reader of readers) reader.end();
  }
}
