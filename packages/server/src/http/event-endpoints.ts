import { z } from '@hono/zod-openapi';
import { knownStages, type MempoolEvent } from 'mempool-core';
import { type Endpoint, endpoint } from './endpoint.ts';
import type { EventFilter } from './event-client.ts';
import type { EventStreams } from './event-streams.ts';
import * as schemas from './schemas.ts';

const query = z.strictObject({
  hash: schemas.hash.optional().openapi({ description: 'Only changes of this transaction.' }),
  stage: z.enum(knownStages).optional().openapi({ description: 'Only changes to this stage.' }),
  after: schemas.cursor.optional().openapi({ description: 'Resume after this event; `Last-Event-ID` goes before it.' }),
});

type Asked = z.output<typeof query>;

/** `GET /events`. */
export function eventsEndpoint(streams: EventStreams<MempoolEvent>): Endpoint {
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
    answer: (call) => streams.open(call, { after: call.query?.after, wants: filterOf(call.query) }),
  });
}

function filterOf(asked: Asked | null): EventFilter {
  const hash = asked?.hash?.toLowerCase().replace(/^0x/, '');
  const stage = asked?.stage;
  if (hash === undefined && stage === undefined) return () => true;
  return (event: MempoolEvent) => {
    if (event.kind === 'lagged') return true;
    if (event.kind === 'block') return false;
    const isStage = event.kind === 'transaction' && event.stage === stage;
    return (hash === undefined || event.hash === hash) && (stage === undefined || isStage);
  };
}
