import { z } from '@hono/zod-openapi';
import { defaultLimits, type Limits, type Mempool } from 'mempool-core';
import { type Endpoint, jsonEndpoint } from './endpoint.ts';
import type { PoolField } from './opened.ts';
import * as schemas from './schemas.ts';

const never = z.literal('never').transform(() => Number.POSITIVE_INFINITY);
const limit = z.union([schemas.count, never]).optional();
const { eviction: _, replacementBump: __, minPriority: ___, ...numbers } = defaultLimits;

const givenLimits = z
  .strictObject({
    ...Object.fromEntries(Object.keys(numbers).map((name) => [name, limit])),
    replacementBump: z.int().min(0).max(10_000).optional(),
    minPriority: schemas.priority.optional(),
    eviction: z.enum(['lowest', 'none']).optional(),
  })
  .openapi('GivenLimits', {
    description: 'A limit that is left out stays as it is. A fifo pool has maxTxs only.',
  });

/** How full the pool is, and its limits. `fields` are those that extensions add. */
export function poolEndpoints(
  pool: Mempool,
  { environment }: { readonly environment: string },
  fields: readonly PoolField[],
): Endpoint[] {
  return [
    ...limiting(pool),
    jsonEndpoint({
      path: '/api/v1/usage',
      summary: 'How much the pool holds',
      tag: 'pool',
      description: 'Numbers by stage, and the ends of events, log and gossip.',
      schema: schemas.usage,
      answer: () => pool.usage(),
    }),
    jsonEndpoint({
      path: '/api/v1/pool',
      summary: 'Which pool this is',
      tag: 'pool',
      description: 'What does not change while the server runs.',
      schema: z.object({
        backend: z.string(),
        ordering: z.enum(['fifo', 'priority']),
        capabilities: z.record(z.string(), z.boolean()),
        environment: z.string(),
        ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      }),
      answer: ({ caller }) => {
        const { name, capabilities, ordering } = pool;
        const added = Object.fromEntries(fields.map((field) => [field.name, field.value(caller)]));
        return { backend: name, ordering, capabilities, environment, ...added };
      },
    }),
  ];
}

function limiting(pool: Mempool): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/limits',
      summary: 'The limits of the pool',
      tag: 'pool',
      description: '"never": no limit.',
      schema: schemas.limits,
      answer: () => pool.setLimits({}),
    }),
    jsonEndpoint({
      method: 'patch',
      path: '/api/v1/limits',
      summary: 'Sets limits, for every node; evicts nothing',
      tag: 'pool',
      scopes: ['admin'],
      body: givenLimits,
      description: 'All limits.',
      schema: schemas.limits,
      answer: ({ body, operationId }) => pool.setLimits(body as Partial<Limits>, { operationId }),
    }),
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/flush',
      summary: 'Drops every Pending transaction',
      tag: 'pool',
      scopes: ['admin'],
      body: z.strictObject({}),
      description: 'How many.',
      schema: z.object({ dropped: z.int() }),
      answer: async ({ operationId }) => ({ dropped: await pool.flush({ operationId }) }),
    }),
  ];
}
