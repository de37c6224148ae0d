import { z } from '@hono/zod-openapi';
import { defaultThresholds, type Mempool, type Revision } from 'mempool-core';
import { doneOutcome, type Endpoint, jsonEndpoint } from './endpoint.ts';
import { unsupported } from './page-endpoints.ts';
import * as schemas from './schemas.ts';

const threshold = z.union([schemas.count, z.literal('never').transform(() => Number.POSITIVE_INFINITY)]);
const policy = z
  .strictObject(Object.fromEntries(Object.keys(defaultThresholds).map((name) => [name, threshold.optional()])))
  .openapi('Policy', { description: 'Thresholds for this block alone.' });

const block = z
  .strictObject({
    point: schemas.point,
    parent: schemas.blockHash.nullable().optional(),
    seen: z.array(schemas.hash),
    unseen: z.array(schemas.hash).optional(),
    provides: z.array(z.string().max(256)).optional(),
    policy: policy.optional(),
    lease: schemas.lease.optional(),
  })
  .openapi('Block', { description: 'A block, reduced to the hashes of its transactions.' });

/** For programs that follow a chain or build blocks. */
export function chainEndpoints(pool: Mempool): Endpoint[] {
  return [...reading(pool), ...moving(pool), ...validating(pool)];
}

function reading(pool: Mempool): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/tip',
      summary: 'The last block applied',
      tag: 'chain',
      description: 'The tip.',
      schema: schemas.tip,
      answer: async () => {
        const { point, tick, epoch } = await pool.tip();
        return { point, tick, epoch };
      },
    }),
    jsonEndpoint({
      path: '/api/v1/blocks',
      summary: 'The last blocks applied that are kept, newest first',
      tag: 'chain',
      query: z.strictObject({ limit: schemas.pageLimit.optional() }),
      description: 'Points to which a rollback can go.',
      schema: z.object({ items: z.array(schemas.point), tip: schemas.tip }),
      answer: async ({ query }) => {
        const { points, ...tip } = await pool.tip({ points: query?.limit ?? 100 });
        return { items: points, tip };
      },
    }),
    jsonEndpoint({
      path: '/api/v1/reap',
      summary: 'Ready transactions that fit a block, best first; changes nothing',
      tag: 'chain',
      query: z.strictObject(schemas.budgetQuery),
      description: 'Candidates.',
      schema: z.object({ items: z.array(schemas.candidate) }),
      answer: async ({ query }) => ({ items: await pool.reap(query ?? {}) }),
    }),
  ];
}

function moving(pool: Mempool): Endpoint[] {
  return [
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/blocks',
      summary: 'Applies a block',
      tag: 'chain',
      scopes: ['chain'],
      body: block,
      description: 'applied, or duplicate. 409: gap or fenced.',
      schema: schemas.kinded,
      answer: async ({ body: { policy, lease, ...given }, operationId }) =>
        doneOutcome(await pool.confirm(given, policy, { lease, operationId }), ['applied', 'duplicate']),
    }),
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/rollback',
      summary: 'Undoes the blocks after a point',
      tag: 'chain',
      scopes: ['chain', 'admin'],
      body: z.strictObject({
        to: z
          .union([schemas.point, z.literal('origin')])
          .openapi({ description: 'origin: undo all blocks that are kept.' }),
        lease: schemas.lease.optional(),
      }),
      description: 'rolled-back, or unchanged. 409: unknown-point or fenced.',
      schema: schemas.kinded,
      answer: async ({ body: { to, lease }, operationId }) =>
        doneOutcome(await pool.rollback(to, { lease, operationId }), ['rolled-back', 'unchanged']),
    }),
  ];
}

const refusal = z.strictObject({
  code: z.int(),
  log: z.string().max(4_096),
  penalize: z.boolean(),
  info: z.string().max(4_096).optional(),
  codespace: z.string().max(256).optional(),
});
// Of exactly one form: a union would call the names of a refusal unknown to a verdict if one of its values is wrong.
const revision: z.ZodType<Revision> = z
  .strictObject({ hash: schemas.hash, version: schemas.count, answer: z.xor([schemas.verdict, refusal]) })
  .openapi('Revision');

function validating(pool: Mempool): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/stale',
      summary: 'Transactions whose verdict is older than a height, to validate again (priority pools)',
      tag: 'chain',
      query: z.strictObject({ height: schemas.countText, limit: schemas.pageLimit.optional() }),
      description: 'The oldest verdict first.',
      schema: z.object({
        items: z.array(z.object({ hash: z.string(), seq: z.int(), version: z.int(), checkedHeight: z.int() })),
      }),
      answer: async ({ query }) => {
        if (pool.ordering === 'fifo') throw unsupported('stale');
        return { items: await pool.stale(query) };
      },
    }),
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/revise',
      summary: 'Applies new verdicts (priority pools)',
      tag: 'chain',
      scopes: ['chain', 'admin'],
      body: z.strictObject({ revisions: z.array(revision).max(1_000), height: schemas.count.optional() }),
      description: 'An outcome for each.',
      schema: z.object({ items: z.array(schemas.outcome) }),
      answer: async ({ body: { revisions, height }, operationId }) => {
        if (pool.ordering === 'fifo') throw unsupported('revise');
        return { items: await pool.revise(revisions, { height, operationId }) };
      },
    }),
  ];
}
