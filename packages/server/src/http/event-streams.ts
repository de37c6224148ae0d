import type { Call } from './endpoint.ts';
import { EventClient, type EventFilter } from './event-client.ts';
import type { EventHub, HubEvent, HubSource } from './event-hub.ts';
import { headerOf } from './host-environment.ts';
import type { Slots } from './slots.ts';

export interface StreamParts<E extends HubEvent> {
  readonly source: HubSource<E>;
  readonly hub: EventHub<E>;
  /** All event streams of the server. */
  readonly streams: Slots;
  /** Aborts when the server stops: all clients are told, and their streams end. */
  readonly stopping: AbortSignal;
  /** Told by how much the number of clients has changed. */
  counted(change: 1 | -1): void;
}

const commentEveryMs = 15_000;

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/** What a client asks of a stream. */
export interface Asked<E extends HubEvent> {
  /** Where to resume; `Last-Event-ID` goes before it. */
  readonly after: string | undefined;
  readonly wants: EventFilter<E>;
}

/** All event streams of one source. */
export class EventStreams<E extends HubEvent> {
  readonly #parts: StreamParts<E>;
  readonly #hub: EventHub<E>;
  readonly #clients = new Set<EventClient<E>>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: StreamParts<E>) {
    this.#parts = parts;
    this.#hub = parts.hub;
    this.#timer = setInterval(() => this.#comment(), commentEveryMs).unref();
    parts.stopping.addEventListener('abort', () => this.#stop(), { once: true });
  }

  /** Answers with a stream: what the client lacks, then what comes. */
  async open(call: Call, { after, wants }: Asked<E>): Promise<Response> {
    // Taken before the stream begins: clients that come together count each other.
    const client = this.#client(call, wants, this.#parts.streams.take());
    try {
      await this.#begin(client, lastEventId(call) ?? after);
    } catch (error) {
      await client.body.cancel();
      throw error;
    }
    endWith(call.caller?.ended, client);
    if (call.request.method === 'HEAD') await client.body.cancel();
    return new Response(client.body, { headers: streamHeaders });
  }

  #stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients) client.end();
  }

  #client({ environment }: Call, wants: EventFilter<E>, leave: () => void): EventClient<E> {
    const client = new EventClient(this.#hub, wants, {
      cut: () => environment.incoming?.socket.destroy() !== undefined,
      ended: () => {
        leave();
        if (this.#clients.delete(client)) this.#parts.counted(-1);
      },
    });
    this.#clients.add(client);
    this.#parts.counted(1);
    return client;
  }

  /** The client is live, or reads what it lacks, when the promise resolves: it misses nothing from then on. */
  async #begin(client: EventClient<E>, after: string | undefined): Promise<void> {
    await this.#hub.start();
    if (after === undefined) return client.goLive();
    if (client.joins(after)) return;
    const events = await this.#parts.source.subscribe({ after, signal: client.signal });
    void client.catchUp(events);
  }

  #comment(): void {
    for (const client of this.#clients) client.comment();
  }
}

/** The position that a client which comes back has reached. */
export function lastEventId({ request, environment }: Call): string | undefined {
  return headerOf(request, environment, 'last-event-id');
}

/** Whoever logs out reads nothing more. */
function endWith<E extends HubEvent>(ended: AbortSignal | undefined, client: EventClient<E>): void {
  if (ended?.aborted) client.end();
  ended?.addEventListener('abort', () => client.end(), { once: true, signal: client.signal });
}
