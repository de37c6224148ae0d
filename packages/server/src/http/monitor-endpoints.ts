import { z } from '@hono/zod-openapi';
import type { Metrics } from '../metrics/metrics.ts';
import type { Monitor } from '../monitor/monitor.ts';
import { bytesAnswer, type Endpoint, endpoint, jsonEndpoint } from './endpoint.ts';
import * as schemas from './schemas.ts';

const ranges = ['2h', '24h', '7d', '30d'] as const;

/** What the monitor counted. */
export function monitorEndpoints(monitor: Monitor): Endpoint[] {
  return [
    ...recorded(monitor),
    jsonEndpoint({
      path: '/api/v1/summary',
      summary: 'Totals, rates and times to finality at one event of the pool',
      tag: 'monitor',
      description: 'The totals count all events from `since` up to `cursor`; `since` is `null` if no event is missing.',
      schema: z.looseObject({ cursor: z.string() }),
      answer: () => monitor.summary(),
    }),
    jsonEndpoint({
      path: '/api/v1/stats',
      summary: 'Steps of a chart',
      tag: 'monitor',
      query: z.strictObject({ range: z.enum(ranges) }),
      description: 'Steps, oldest first. The last one is the running step.',
      schema: z.object({ stepMs: z.int(), steps: z.array(z.looseObject({ at: z.int(), received: z.int() })) }),
      answer: ({ query: { range } }) => monitor.stats(range),
    }),
  ];
}

function recorded(monitor: Monitor): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/timeline',
      summary: 'The last 1,000 transitions, newest first',
      tag: 'monitor',
      query: z.strictObject({ limit: schemas.pageLimit.optional() }),
      description: 'Events, newest first.',
      schema: z.object({ items: z.array(z.looseObject({ hash: z.string(), cursor: z.string() })) }),
      answer: ({ query }) => ({ items: monitor.transitions(query?.limit) }),
    }),
    jsonEndpoint({
      path: '/api/v1/timeline/blocks',
      summary: 'The last 200 blocks applied and undone, newest first',
      tag: 'monitor',
      query: z.strictObject({ limit: schemas.pageLimit.optional() }),
      description: '`confirmed`: how many transactions of the pool became Confirmed with it.',
      schema: z.object({
        items: z.array(
          z.looseObject({ action: z.enum(['applied', 'undone']), point: schemas.point, confirmed: z.int() }),
        ),
      }),
      answer: ({ query }) => ({ items: monitor.blocks(query?.limit) }),
    }),
  ];
}

/** Metrics for Prometheus. */
export function metricsEndpoint(metrics: Metrics): Endpoint {
  return endpoint({
    method: 'get',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    tag: 'server',
    scopes: ['read'],
    answers: { 200: { description: 'Prometheus text.', contentType: 'text/plain' } },
    answer: async () => bytesAnswer(await metrics.text(), { 'content-type': metrics.contentType }),
  });
}
