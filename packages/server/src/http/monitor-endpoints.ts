import { z } from '@hono/zod-openapi';
import type { Metrics } from '../metrics/metrics.ts';
import type { MonitorView } from '../monitor/monitor.ts';
import { bytesAnswer, type Endpoint, endpoint, jsonEndpoint } from './endpoint.ts';
import * as schemas from './schemas.ts';

const ranges = ['2h', '24h', '7d', '30d'] as const;
const gap = z.object({ from: z.int(), to: z.int().nullable(), missed: z.int() });
const column = z.array(z.number().nullable());

/** What the monitor counted. */
export function monitorEndpoints(monitor: MonitorView): Endpoint[] {
  return [
    ...recorded(monitor),
    jsonEndpoint({
      path: '/api/v1/summary',
      summary: 'Totals, rates and times to finality at one event of the pool',
      tag: 'monitor',
      description: 'The totals stand for all events up to `cursor`.',
      schema: z.looseObject({ cursor: z.string() }),
      answer: () => monitor.summary(),
    }),
    jsonEndpoint({
      path: '/api/v1/stats',
      summary: 'Columns for charts',
      tag: 'monitor',
      query: z.strictObject({
        range: z.enum(ranges),
        step: schemas.duration.optional().openapi({ description: 'The time that one point stands for.' }),
      }),
      description: 'Columns of the same length, oldest first.',
      schema: z.looseObject({ stepMs: z.int(), at: z.array(z.int()), received: column, finalized: column }),
      answer: ({ query: { range, step } }) => monitor.stats({ range, stepMs: step }),
    }),
  ];
}

function recorded(monitor: MonitorView): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/timeline',
      summary: 'The last 1,000 transitions, newest first',
      tag: 'monitor',
      query: z.strictObject({ limit: schemas.pageLimit.optional(), after: schemas.cursor.optional() }),
      description: 'A page.',
      schema: schemas.pageOf(z.looseObject({ hash: z.string(), cursor: z.string() })),
      answer: ({ query }) => monitor.timeline(query ?? {}),
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
      answer: ({ query }) => ({ items: monitor.blocks(query ?? {}) }),
    }),
    jsonEndpoint({
      path: '/api/v1/gaps',
      summary: 'Times of which events are missing in the numbers',
      tag: 'monitor',
      description: 'Gaps, oldest first.',
      schema: z.object({ items: z.array(gap) }),
      answer: () => ({ items: monitor.gaps() }),
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
