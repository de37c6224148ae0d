import type { MempoolEvent } from 'mempool-core';

/** The reports of the live events. */
export interface StreamListener {
  opened(): void;
  /** No events come now; the stream tries again by itself. */
  lost(): void;
  /** The server does not resume where the stream ended. The stream has stopped; `start` it again. */
  skipped(): void;
  event(event: MempoolEvent): void;
}

const retryMs = [1_000, 2_000, 4_000, 8_000];
/** After so many refusals in a row the place to resume may be why. */
const mostRefusals = 3;

/**
 * The live events. A browser resumes after the last one by itself, but only while the server accepts the request; after a
 * refusal this class asks again.
 */
export class EventStream {
  readonly #listener: StreamListener;
  #source: EventSource | null = null;
  #cursor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(listener: StreamListener) {
    this.#listener = listener;
  }

  /** @param after the cursor of the last event that is known; `null`: only later events */
  start(after: string | null): void {
    this.stop();
    this.#cursor = after;
    this.#open();
  }

  /** Resumes later with `resume`. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  /** Goes on after the last event. */
  resume(): void {
    if (this.#source === null) this.#open();
  }

  #open(): void {
    clearTimeout(this.#timer);
    const query = this.#cursor === null ? '' : `?after=${encodeURIComponent(this.#cursor)}`;
    const source = new EventSource(`api/v1/events${query}`);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.#listener.opened();
    };
    source.onerror = () => this.#failed(source);
    for (const kind of ['transaction', 'block', 'ready', 'parked', 'lagged'])
      source.addEventListener(kind, (message) => this.#take(message as MessageEvent<string>));
    // The server stops. Its next start may take longer than the browser's patience.
    source.addEventListener('end', () => this.#listener.lost());
  }

  #take({ data, lastEventId }: MessageEvent<string>): void {
    if (lastEventId !== '') this.#cursor = lastEventId;
    this.#listener.event(JSON.parse(data));
  }

  #failed(source: EventSource): void {
    this.#listener.lost();
    if (source.readyState !== EventSource.CLOSED) return;
    this.stop();
    if (this.#failures >= mostRefusals) {
      this.#failures = 0;
      this.#listener.skipped();
      return;
    }
    const wait = retryMs[Math.min(this.#failures, retryMs.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#open(), wait);
  }
}
