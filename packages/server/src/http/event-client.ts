import type { MempoolEvent } from 'mempool-core';
import { type EventHub, type HubEvent, type LiveReader, type SentEvent, sentEvent } from './event-hub.ts';

/** The most bytes that wait for one client. A client that is further behind is cut off. */
const maxQueuedBytes = 256 * 1024;
/** Of older events no more is read while this much waits. */
const enoughQueuedBytes = 64 * 1024;
/** A client joins the live events when what it lacks fits easily in its queue. */
const joinBytes = 128 * 1024;
/** A write takes at most this much at once. */
const maxChunkBytes = 64 * 1024;

const encoder = new TextEncoder();

/** Which events a client wants. */
export type EventFilter<E extends HubEvent = MempoolEvent> = (event: E) => boolean;

/** How a client ends. */
export interface ClientEnd {
  /** Cuts the connection: the client reads too slowly. False if the host of the handler does not give its socket. */
  cut(): boolean;
  /** Called once, however the client ended. */
  ended(): void;
}

/**
 * One event stream: a queue of bytes between the events and a socket. The queue is counted, and the events never wait
 * for a client. One that reads too slowly loses its connection and resumes by its last id.
 */
export class EventClient<E extends HubEvent = MempoolEvent> implements LiveReader<E> {
  readonly body: ReadableStream<Uint8Array>;
  readonly #hub: EventHub<E>;
  readonly #wants: EventFilter<E>;
  readonly #end: ClientEnd;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isEnded = false;
  #isClosing = false;
  /** True if the socket waits for bytes. */
  #isHungry = false;
  #leave: (() => void) | null = null;
  /** Told when the queue has room again. */
  #roomy: (() => void) | null = null;
  readonly #left = new AbortController();

  constructor(hub: EventHub<E>, wants: EventFilter<E>, end: ClientEnd) {
    this.#hub = hub;
    this.#wants = wants;
    this.#end = end;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#isHungry = true;
          this.#feed();
        },
        cancel: () => this.#finish(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Aborts when the client has gone. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** From now on the client gets live events. */
  goLive(): void {
    this.#push(encoder.encode(`id: ${this.#hub.cursor}\n\n`));
    this.#leave = this.#hub.add(this);
  }

  /** Delivers older events until the client can go over to the live ones. */
  async catchUp(events: AsyncIterable<E>): Promise<void> {
    try {
      for await (const event of events) {
        if (this.#wants(event)) this.#push(sentEvent(event).bytes);
        if (this.joins(event.cursor)) return;
        if (this.#queuedBytes > enoughQueuedBytes) await this.#room();
        if (this.#isEnded) return;
      }
      this.end();
    } catch {
      // The client comes back with its last id.
      this.end();
    }
  }

  /** Goes over to the live events if the hub still has all that the client lacks, and it is little. */
  joins(cursor: string): boolean {
    const missing = this.#hub.after(cursor);
    if (missing === null) return false;
    let bytes = 0;
    for (const each of missing) bytes += each.bytes.length;
    if (bytes > joinBytes) return false;
    for (const each of missing) this.take(each);
    this.goLive();
    return true;
  }

  take(sent: SentEvent<E>): void {
    if (this.#wants(sent.event)) this.#push(sent.bytes);
  }

  /** Keeps the connection open, and tells a client whose filter leaves events out where to resume. */
  comment(): void {
    const id = this.#leave === null ? '' : `id: ${this.#hub.cursor}\n`;
    this.#push(encoder.encode(`: still here\n${id}\n`));
  }

  /** Ends the stream after what is queued. */
  end(): void {
    if (this.#isEnded || this.#isClosing) return;
    this.#leave?.();
    this.#push(encoder.encode('event: end\nretry: 1000\ndata: {"kind":"end"}\n\n'));
    this.#isClosing = true;
    this.#feed();
  }

  #push(bytes: Uint8Array): void {
    if (this.#isEnded || this.#isClosing) return;
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes > maxQueuedBytes) this.#cut();
    else this.#feed();
  }

  /** Gives the socket what is queued, if it waits for bytes. */
  #feed(): void {
    if (this.#isEnded) return;
    if (this.#queue.length === 0 && this.#isClosing) {
      this.#finish();
      this.#controller.close();
      return;
    }
    if (!this.#isHungry || this.#queue.length === 0) return;
    this.#isHungry = false;
    this.#controller.enqueue(this.#nextChunk());
    if (this.#queuedBytes <= enoughQueuedBytes) this.#roomy?.();
  }

  #nextChunk(): Uint8Array {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && (count === 0 || bytes < maxChunkBytes))
      bytes += this.#queue[count++]?.length ?? 0;
    this.#queuedBytes -= bytes;
    const chunks = this.#queue.splice(0, count);
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, bytes);
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#roomy = () => {
        this.#roomy = null;
        resolve();
      };
    });
  }

  #cut(): void {
    this.#finish();
    // Where the host does not give its socket, the stream fails, and the host ends the connection.
    if (!this.#end.cut()) this.#controller.error(new Error('the client reads too slowly'));
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#leave?.();
    this.#left.abort();
    this.#roomy?.();
    this.#end.ended();
  }
}
