import type { MempoolEvent } from 'mempool-core';
import type { EventHub, LiveReader, SentEvent } from './event-hub.ts';
import { busy } from './problem.ts';

/** The most bytes of events, as server-sent events count them, that wait for one reader. */
const maxQueuedBytes = 256 * 1024;

/**
 * The live events from `open` on, for one client of any protocol, as an async iterable. It shares the server's one
 * subscription. The events never wait for the client: if it is further behind than 256 KiB, the iteration throws.
 */
export class EventFeed implements LiveReader {
  readonly #queue: SentEvent[] = [];
  #queuedBytes = 0;
  #isEnded = false;
  #isCut = false;
  #wake: (() => void) | null = null;
  #leave: () => void = () => undefined;
  readonly #onCut: () => void;

  private constructor(onCut: () => void) {
    this.#onCut = onCut;
  }

  /**
   * Misses no event after the promise has resolved.
   * @param signal ends the feed: the client has left
   * @param onCut called when the client is too slow; it may not ask for an event before it has taken those before
   * @throws the pool's error
   */
  static async open(hub: EventHub, signal: AbortSignal, onCut: () => void = () => undefined): Promise<EventFeed> {
    await hub.start();
    const feed = new EventFeed(onCut);
    feed.#leave = hub.add(feed);
    if (signal.aborted) feed.end();
    else signal.addEventListener('abort', () => feed.end(), { once: true });
    return feed;
  }

  /** The events. It ends when the client leaves or the server stops. @throws `Problem` 503 if the client reads too slowly */
  async *[Symbol.asyncIterator](): AsyncGenerator<MempoolEvent> {
    try {
      for (;;) {
        const sent = this.#queue.shift();
        if (sent !== undefined) {
          this.#queuedBytes -= sent.bytes.length;
          yield sent.event;
          continue;
        }
        if (this.#isCut) throw busy('The client reads too slowly.');
        if (this.#isEnded) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.end();
    }
  }

  take(sent: SentEvent): void {
    if (this.#isEnded) return;
    this.#queue.push(sent);
    this.#queuedBytes += sent.bytes.length;
    if (this.#queuedBytes > maxQueuedBytes) this.#cut();
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#leave();
    this.#wake?.();
  }

  #cut(): void {
    this.#isCut = true;
    this.#queue.length = 0;
    this.end();
    this.#onCut();
  }
}
