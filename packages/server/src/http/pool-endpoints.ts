import { z } from '@hono/zod-openapi';
import type { Mempool } from 'mempool-core';
import { type Endpoint, endpoint, json } from './endpoint.ts';
import * as schemas from './schemas.ts';

/** What the pool says of itself. */
export function poolEndpoints(pool: Mempool): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/v1/tip',
      summary: 'The last block applied',
      tag: 'chain',
      scopes: ['read'],
      answers: { 200: { description: 'The tip.', schema: schemas.tip } },
      answer: async () => {
        const { point, tick, epoch } = await pool.tip();
        return json({ point, tick, epoch });
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/usage',
      summary: 'How much the pool holds',
      tag: 'pool',
      scopes: ['read'],
      answers: {
        200: { description: 'Numbers by stage, and the ends of events, log and gossip.', schema: schemas.usage },
      },
      answer: async () => json(await pool.usage()),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/reap',
      summary: 'Ready transactions that fit a block, best first; changes nothing',
      tag: 'chain',
      scopes: ['read'],
      query: z.strictObject(schemas.budgetQuery),
      answers: { 200: { description: 'Candidates.', schema: z.object({ items: z.array(schemas.candidate) }) } },
      answer: async ({ query }) => json({ items: await pool.reap(query) }),
    }),
  ];
}
