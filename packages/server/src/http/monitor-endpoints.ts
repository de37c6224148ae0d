import { z } from '@hono/zod-openapi';
import type { Metrics } from '../metrics/metrics.ts';
import type { MonitorView } from '../monitor/monitor.ts';
import { bytesAnswer, type Endpoint, endpoint, json } from './endpoint.ts';
import * as schemas from './schemas.ts';

const ranges = ['2h', '24h', '7d', '30d'] as const;
const gap = z.object({ from: z.int(), to: z.int().nullable(), missed: z.int() });
const column = z.array(z.number().nullable());

/** What the monitor counted. */
export function monitorEndpoints(monitor: MonitorView): Endpoint[] {
  return [
    ...recorded(monitor),
    endpoint({
      method: 'get',
      path: '/api/v1/summary',
      summary: 'Totals, rates and times to finality at one event of the pool',
      tag: 'monitor',
      scopes: ['read'],
      answers: {
        200: {
          description: 'The totals stand for all events up to `cursor`.',
          schema: z.looseObject({ cursor: z.string() }),
        },
      },
      answer: () => json(monitor.summary()),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/stats',
      summary: 'Columns for charts',
      tag: 'monitor',
      scopes: ['read'],
      query: z.strictObject({
        range: z.enum(ranges),
        step: schemas.duration.optional().openapi({ description: 'The time that one point stands for.' }),
      }),
      answers: {
        200: {
          description: 'Columns of the same length, oldest first.',
          schema: z.looseObject({ stepMs: z.int(), at: z.array(z.int()), received: column, finalized: column }),
        },
      },
      answer: ({ query: { range, step } }) => json(monitor.stats({ range, stepMs: step })),
    }),
  ];
}

function recorded(monitor: MonitorView): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/v1/timeline',
      summary: 'The last 1,000 transitions, newest first',
      tag: 'monitor',
      scopes: ['read'],
      query: z.strictObject({ limit: schemas.pageLimit.optional(), after: schemas.cursor.optional() }),
      answers: {
        200: {
          description: 'A page.',
          schema: schemas.pageOf(z.looseObject({ hash: z.string(), cursor: z.string() })),
        },
      },
      answer: ({ query }) => json(monitor.timeline(query ?? {})),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/timeline/blocks',
      summary: 'The last 200 blocks applied and undone, newest first',
      tag: 'monitor',
      scopes: ['read'],
      query: z.strictObject({ limit: schemas.pageLimit.optional() }),
      answers: {
        200: {
          description: '`confirmed`: how many transactions of the pool became Confirmed with it.',
          schema: z.object({
            items: z.array(
              z.looseObject({ action: z.enum(['applied', 'undone']), point: schemas.point, confirmed: z.int() }),
            ),
          }),
        },
      },
      answer: ({ query }) => json({ items: monitor.blocks(query ?? {}) }),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/gaps',
      summary: 'Times of which events are missing in the numbers',
      tag: 'monitor',
      scopes: ['read'],
      answers: { 200: { description: 'Gaps, oldest first.', schema: z.object({ items: z.array(gap) }) } },
      answer: () => json({ items: monitor.gaps() }),
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
