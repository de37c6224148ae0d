import { z } from '@hono/zod-openapi';
import type { Mempool, WriteOptions } from 'mempool-core';
import { authorize } from './access.ts';
import { doneOutcome, type Endpoint, jsonEndpoint } from './endpoint.ts';
import { notFound } from './problem.ts';
import * as schemas from './schemas.ts';

const claimId = z
  .string()
  .regex(/^[\x20-\x7e]{1,128}$/, 'must be 1–128 printable ASCII characters')
  .optional();
const owner = z.string().regex(/^[\x20-\x7e]{1,128}$/, 'must be 1–128 printable ASCII characters');
const claimMs = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const moment = { now: schemas.count.optional(), height: schemas.count.optional() };
const hashes = z.array(z.string());

/** For programs that send transactions to the network, and for operators. */
export function propagationEndpoints(pool: Mempool): Endpoint[] {
  return [...moves(pool), ...claims(pool), sweeping(pool), gossiping(pool)];
}

interface Move<Body> {
  readonly verb: string;
  readonly summary: string;
  readonly scopes: Endpoint['scopes'];
  readonly body: z.ZodType<Body>;
  move(hash: string, body: Body, options: WriteOptions): Promise<boolean>;
}

function moves(pool: Mempool): Endpoint[] {
  return [
    moving(pool, {
      verb: 'drop',
      summary: 'Drops a transaction that is not in a block',
      scopes: ['propagate', 'admin'],
      body: z.strictObject({
        reason: schemas.dropReason,
        claim: claimId,
        descendants: z
          .boolean()
          .optional()
          .openapi({ description: 'Also drop what depends on it. Priority pools only.' }),
      }),
      move: (hash, { reason, ...guard }, options) => pool.drop(hash, reason, { ...options, ...guard }),
    }),
    moving(pool, {
      verb: 'release',
      summary: 'Propagated or Acknowledged → Pending, for another attempt',
      scopes: ['propagate', 'admin'],
      body: z.strictObject({ claim: claimId, notBeforeMs: schemas.count.optional() }),
      move: (hash, body, options) => pool.release(hash, { ...options, ...body }),
    }),
    moving(pool, {
      verb: 'inflight',
      summary: 'Pending → Propagated: it was sent',
      scopes: ['propagate'],
      body: z.strictObject({}),
      move: (hash, _body, options) => pool.markInflight(hash, options),
    }),
    moving(pool, {
      verb: 'acknowledge',
      summary: 'Propagated → Acknowledged: a peer has it',
      scopes: ['propagate'],
      body: z.strictObject({ claim: claimId }),
      move: (hash, body, options) => pool.markAcknowledged(hash, { ...options, ...body }),
    }),
    moving(pool, {
      verb: 'complete',
      summary: 'Propagated or Acknowledged → Finalized: it needs no block',
      scopes: ['propagate'],
      body: z.strictObject({ claim: claimId }),
      move: (hash, body, options) => pool.complete(hash, { ...options, ...body }),
    }),
  ];
}

const changedSchema = z.object({ hash: z.string(), changed: z.boolean() });

function moving<Body>(pool: Mempool, { verb, summary, scopes, body, move }: Move<Body>): Endpoint {
  return jsonEndpoint({
    method: 'post',
    path: `/api/v1/transactions/{hash}/${verb}`,
    summary,
    tag: 'propagation',
    scopes,
    body,
    description: '`changed` is false in any other stage.',
    schema: changedSchema,
    answer: async ({ params: { hash = '' }, body, operationId }) => {
      const changed = await move(hash, body, { operationId });
      if (changed) return { hash, changed };
      const { stage } = await pool.status(hash);
      if (stage === 'Unknown') throw notFound('The pool does not know this transaction.', { hash });
      return { hash, changed, stage };
    },
  });
}

function claims(pool: Mempool): Endpoint[] {
  return [
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/take',
      summary: 'Claims ready transactions for one worker: they become Propagated',
      tag: 'propagation',
      scopes: ['propagate'],
      body: z.strictObject({
        ...schemas.budgetFields,
        ...moment,
        owner,
        claimMs,
        payloads: z.boolean().optional(),
      }),
      description: 'The claim. Payloads are base64.',
      schema: schemas.claim,
      answer: async ({ body: { owner, claimMs, payloads = false, now, height, ...budget }, operationId }) => {
        const options = { owner, claimMs, now, height, operationId };
        return await (payloads ? pool.take(budget, { ...options, payloads }) : pool.take(budget, options));
      },
    }),
    jsonEndpoint({
      method: 'post',
      path: '/api/v1/claims/{claimId}/extend',
      summary: 'Lets a claim end later',
      tag: 'propagation',
      scopes: ['propagate'],
      body: z.strictObject({ claimMs, ...moment }),
      description: 'When it ends now.',
      schema: schemas.kinded,
      answer: async ({ params: { claimId = '' }, body: { claimMs, ...moment }, operationId }) =>
        doneOutcome(await pool.extendClaim(claimId, claimMs, { ...moment, operationId }), ['extended']),
    }),
  ];
}

function sweeping(pool: Mempool): Endpoint {
  return jsonEndpoint({
    method: 'post',
    path: '/api/v1/sweep',
    summary: 'Ends claims that are over and drops what waited too long',
    tag: 'propagation',
    scopes: ['propagate', 'admin'],
    body: z.strictObject({
      ...moment,
      overLimits: z.boolean().optional().openapi({ description: 'Also drop what is over the limits. Scope: admin.' }),
    }),
    description: 'Hashes by what happened to them.',
    schema: z.object({ returned: hashes, woken: hashes, expired: hashes, evicted: hashes, more: z.boolean() }),
    answer: async ({ body, caller, operationId }) => {
      if (body.overLimits === true) authorize(caller, ['admin']);
      return await pool.sweep({ ...body, operationId });
    },
  });
}

function gossiping(pool: Mempool): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/since',
    summary: 'Transactions to send to a peer, in the order in which they became ready',
    tag: 'propagation',
    scopes: ['propagate'],
    query: z.strictObject({
      after: schemas.cursor.optional().openapi({ description: '`next` of the page before.' }),
      limit: schemas.pageLimit.optional(),
      except: z.string().min(1).max(256).optional().openapi({ description: 'Leave out what this peer sent.' }),
      hashesOnly: schemas.flagText.optional().openapi({ description: 'true: no payloads.' }),
    }),
    description: 'A page. `next` also resumes at its end.',
    schema: schemas.pageOf(z.looseObject({ hash: z.string() })),
    answer: ({ query }) => pool.since(query ?? {}),
  });
}
