import { z } from '@hono/zod-openapi';
import type { Mempool, TransactionPage } from 'mempool-core';
import { bytesAnswer, type Call, type Endpoint, endpoint, jsonEndpoint } from './endpoint.ts';
import { notFound, Problem } from './problem.ts';
import * as schemas from './schemas.ts';

const lists = ['pending', 'parked', 'inflight', 'final', 'best'] as const;

const query = z.strictObject({
  stage: z.enum(lists).openapi({
    description:
      'pending, parked, inflight: by arrival. final: the log of ended ones. best: by priority, each with its Pending parents (priority pools).',
  }),
  after: schemas.cursor.optional().openapi({ description: '`next` of the page before.' }),
  limit: schemas.pageLimit.optional(),
});

type Asked = z.output<typeof query>;

/** A page; `next` is `null` after the last one. */
interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

/** Lists of transactions, and the bytes of one. */
export function pageEndpoints(pool: Mempool, { exposePayloads }: { readonly exposePayloads: boolean }): Endpoint[] {
  return [
    jsonEndpoint({
      path: '/api/v1/transactions',
      summary: 'Pages of transactions',
      tag: 'transactions',
      query,
      description: 'A page, without damaged transactions.',
      schema: schemas.pageOf(schemas.listed),
      answer: ({ query }) => pages[query.stage](pool, query),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/transactions/{hash}/payload',
      summary: 'The bytes of a live transaction',
      tag: 'transactions',
      scopes: ['read'],
      answers: {
        200: { description: 'Its type is in the header X-Payload-Type.', contentType: 'application/octet-stream' },
      },
      answer: (call) => {
        if (exposePayloads) return payloadAnswer(pool, call);
        const detail = 'The server does not show payloads: exposePayloads is false.';
        throw new Problem(403, 'ERR_SERVER_PAYLOADS', { detail });
      },
    }),
  ];
}

const pages: Readonly<Record<Asked['stage'], (pool: Mempool, query: Asked) => Promise<Page>>> = {
  pending: async (pool, query) => pageAnswer(await pool.peekPending(rangeOf(query))),
  parked: async (pool, query) => pageAnswer(await pool.peekParked(rangeOf(query))),
  inflight: async (pool, query) => pageAnswer(await pool.peekInflight(rangeOf(query))),
  final: async (pool, { after, limit }) => {
    const { entries, cursor, hasMore, missed } = await pool.dumpFinalized({ cursor: after, limit });
    return { items: entries.map(withoutPayload), next: hasMore ? cursor : null, missed } as Page;
  },
  best: async (pool, query) => {
    if (pool.ordering === 'fifo') throw unsupported('best');
    const items = await pool.best(rangeOf(query));
    return { items, next: items.at(-1)?.key ?? null };
  },
};

function rangeOf({ after, limit }: Asked): { readonly after: string | undefined; readonly limit: number | undefined } {
  return { after, limit };
}

function pageAnswer({ transactions, next }: TransactionPage): Page {
  return { items: transactions.map(withoutPayload), next: transactions.length === 0 ? null : next };
}

/** Payloads are never in lists: they may be large, and not everybody may see them. */
function withoutPayload<T extends { readonly payload: Uint8Array }>({ payload, ...rest }: T): object {
  return { ...rest, bytes: payload.length };
}

async function payloadAnswer(pool: Mempool, { params: { hash = '' } }: Call): Promise<Response> {
  const [found = null] = await pool.payloads([hash]);
  if (found === null) throw notFound('The pool has no live transaction with this hash, or it is damaged.', { hash });
  return bytesAnswer(new Uint8Array(found.payload), {
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-payload-type': String(found.payloadType),
  });
}

/** The refusal of a verb that a fifo pool does not have. */
export function unsupported(verb: string): Problem {
  return new Problem(422, 'ERR_MEMPOOL_UNSUPPORTED', { detail: `A fifo pool does not support ${verb}.` });
}
