import { setImmediate } from 'node:timers/promises';
import { type Mempool, type MempoolEvent, toJsonValue } from 'mempool-core';

/** An event that a hub can pass on. */
export interface HubEvent {
  readonly kind: string;
  /** The position after it. */
  readonly cursor: string;
}

/** Where a hub has its events from. */
export interface HubSource<E extends HubEvent> {
  /** The position after the newest event. */
  newest(): Promise<string>;
  /** The events after this position, and those to come until `signal` aborts. */
  subscribe(options: { readonly after: string; readonly signal: AbortSignal }): Promise<AsyncIterable<E>>;
}

/** The events of a pool. */
export function poolSource(pool: Mempool): HubSource<MempoolEvent> {
  return {
    newest: async () => (await pool.usage()).cursors.events,
    subscribe: (options) => pool.subscribe(options),
  };
}

/** An event as clients get it. The bytes are made once and shared by all clients. */
export interface SentEvent<E extends HubEvent = MempoolEvent> {
  readonly event: E;
  readonly bytes: Uint8Array;
}

/** Gets live events. */
export interface LiveReader<E extends HubEvent = MempoolEvent> {
  /** An event came. It must not block. */
  take(sent: SentEvent<E>): void;
  /** No more events come: their source closed, or its store failed. */
  end(): void;
}

/** So many bytes go to each client before the sockets get their turn. */
const sliceBytes = 32 * 1024;
const maxRingEvents = 8_192;
const maxRingBytes = 4 * 1024 * 1024;
const encoder = new TextEncoder();

/** The event as server-sent events say it: its cursor is the id, so a browser resumes there by itself. */
export function sentEvent<E extends HubEvent>(event: E): SentEvent<E> {
  const text = `id: ${event.cursor}\nevent: ${event.kind}\ndata: ${JSON.stringify(toJsonValue(event))}\n\n`;
  return { event, bytes: encoder.encode(text) };
}

/**
 * One subscription of a pool or of a ledger, shared by all clients that are up to date, so that a thousand clients do not read the
 * event log a thousand times. It keeps the last events, so that a client that was away for a moment needs no
 * subscription of its own either.
 */
export class EventHub<E extends HubEvent = MempoolEvent> {
  readonly #source: HubSource<E>;
  readonly #readers = new Set<LiveReader<E>>();
  readonly #stopping: AbortSignal;
  #ring: SentEvent<E>[] = [];
  #ringBytes = 0;
  /** The number of the first event of the ring, counted from the start of the hub. */
  #first = 0;
  /** The number of each event of the ring, by its cursor. */
  readonly #numbers = new Map<string, number>();
  /** The position after the last event: the id to resume from. */
  #cursor = '';
  #ready: Promise<void> | null = null;
  #ended = false;

  /** @param stopping ends the subscription and all readers */
  constructor(source: HubSource<E>, stopping: AbortSignal) {
    this.#source = source;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Starts the subscription, at the first call. @throws the error of the source */
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
  after(cursor: string): readonly SentEvent<E>[] | null {
    if (cursor === this.#cursor) return [];
    const number = this.#numbers.get(cursor);
    return number === undefined ? null : this.#ring.slice(number - this.#first + 1);
  }

  /** From now on the reader gets every event. Returns its removal. */
  add(reader: LiveReader<E>): () => void {
    if (this.#ended) reader.end();
    else this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  async #subscribe(): Promise<void> {
    this.#cursor = await this.#source.newest();
    const events = await this.#source.subscribe({ after: this.#cursor, signal: this.#stopping });
    // A failed subscription ends the clients, and they come back: the next one starts another.
    this.#read(events).then(
      () => this.#end(),
      () => this.#restart(),
    );
  }

  async #read(events: AsyncIterable<E>): Promise<void> {
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

  #keep(sent: SentEvent<E>): void {
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
    if (this.#stopping.aborted) {
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
