import { z } from '@hono/zod-openapi';
import { knownStages, type Mempool, type MempoolEvent } from 'mempool-core';
import { type Call, type Endpoint, endpoint } from './endpoint.ts';
import { EventClient, type EventFilter } from './event-client.ts';
import { EventHub } from './event-hub.ts';
import { headerOf } from './host-environment.ts';
import { busy } from './problem.ts';
import * as schemas from './schemas.ts';

export interface EventParts {
  readonly pool: Mempool;
  readonly maxSseClients: number;
  /** Told the number of clients after each change. */
  counted(clients: number): void;
}

const commentEveryMs = 15_000;

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

const query = z.strictObject({
  hash: schemas.hash.optional().openapi({ description: 'Only changes of this transaction.' }),
  stage: z.enum(knownStages).optional().openapi({ description: 'Only changes to this stage.' }),
  after: schemas.cursor.optional().openapi({ description: 'Resume after this event; `Last-Event-ID` goes before it.' }),
});

type Asked = z.output<typeof query>;

/** All event streams. */
export class EventStreams {
  readonly #parts: EventParts;
  readonly #hub: EventHub;
  readonly #clients = new Set<EventClient>();
  readonly #timer: NodeJS.Timeout;
  /** Clients that are admitted, among them those whose stream has not begun. */
  #admitted = 0;

  constructor(parts: EventParts) {
    this.#parts = parts;
    this.#hub = new EventHub(parts.pool);
    this.#timer = setInterval(() => this.#comment(), commentEveryMs).unref();
  }

  /** `GET /events`. */
  endpoint(): Endpoint {
    return endpoint({
      method: 'get',
      path: '/api/v1/events',
      summary: 'Every change, live, as server-sent events',
      tag: 'transactions',
      scopes: ['read'],
      query,
      answers: {
        200: {
          description:
            'Each `id` is a cursor: give the last one as `Last-Event-ID` to resume. Events: transaction, block, lagged (events were lost), end (the server stops).',
          contentType: 'text/event-stream',
        },
      },
      answer: (call) => this.#open(call),
    });
  }

  /** Tells all clients that the server stops, and ends their streams. */
  stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients) client.end();
    this.#hub.stop();
  }

  async #open(call: Call<Asked | null>): Promise<Response> {
    if (this.#admitted >= this.#parts.maxSseClients)
      throw busy(`At most ${this.#parts.maxSseClients} event streams may be open at once.`);
    this.#admitted += 1;
    const client = this.#client(call);
    try {
      await this.#begin(client, headerOf(call.request, call.environment, 'last-event-id') ?? call.query?.after);
    } catch (error) {
      await client.body.cancel();
      throw error;
    }
    if (call.request.method === 'HEAD') await client.body.cancel();
    return new Response(client.body, { headers: streamHeaders });
  }

  #client({ query, environment }: Call<Asked | null>): EventClient {
    const client = new EventClient(this.#hub, filterOf(query), {
      cut: () => environment.incoming?.socket.destroy() !== undefined,
      ended: () => {
        this.#admitted -= 1;
        this.#clients.delete(client);
        this.#parts.counted(this.#clients.size);
      },
    });
    this.#clients.add(client);
    this.#parts.counted(this.#clients.size);
    return client;
  }

  /** The client is live, or reads what it lacks, when the promise resolves: it misses nothing from then on. */
  async #begin(client: EventClient, after: string | undefined): Promise<void> {
    await this.#hub.start();
    if (after === undefined) return client.goLive();
    if (client.joins(after)) return;
    const events = await this.#parts.pool.subscribe({ after, signal: client.signal });
    void client.catchUp(events);
  }

  #comment(): void {
    for (const client of this.#clients) client.comment();
  }
}

function filterOf(asked: Asked | null): EventFilter {
  const hash = asked?.hash?.toLowerCase().replace(/^0x/, '');
  const stage = asked?.stage;
  if (hash === undefined && stage === undefined) return () => true;
  return (event: MempoolEvent) => {
    if (event.kind === 'lagged') return true;
    if (event.kind === 'block') return false;
    return (hash === undefined || event.hash === hash) && (stage === undefined || event.stage === stage);
  };
}
