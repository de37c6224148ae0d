import { readTransaction, TransactionError } from 'mempool-cardano';
import type { Mempool } from 'mempool-core';
import { notFound, type Waiting, type WaitingList, wrongRequest } from 'mempool-server/edge';
import { z } from 'zod';
import { AddressIndex } from './address-index.ts';
import type { BlockfrostCall, BlockfrostRoute } from './blockfrost-route.ts';
import { transactionContent } from './transaction-content.ts';

/** Returns the routes for transactions that wait for a block: all of them, those of an address, and one of them. */
export function mempoolRoutes(pool: Mempool, list: WaitingList): BlockfrostRoute[] {
  const addresses = new AddressIndex(pool);
  const get = (path: string, answer: (call: BlockfrostCall) => Promise<object>): BlockfrostRoute => ({
    method: 'GET',
    path,
    scope: 'read',
    answer: async (call) => Response.json(await answer(call), { headers: { 'cache-control': 'no-store' } }),
  });
  return [
    get('/mempool', async ({ query }) => {
      const { skip, count, order } = pagination(query);
      return hashesOf((await list.current()).page(skip, count, order));
    }),
    get('/mempool/{hash}', ({ param }) => content(pool, param)),
    get('/mempool/addresses/{address}', async ({ param, query }) => {
      const wanted = { address: checkedAddress(param), ...pagination(query) };
      return hashesOf(await addresses.find(await list.current(), wanted));
    }),
  ];
}

function hashesOf(page: readonly Waiting[]): object[] {
  return page.map(({ hash }) => ({ tx_hash: hash }));
}

const whole = (most: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(most));
/** The largest numbers are those of Blockfrost's own description. */
const parameters = {
  count: [whole(100).default(100), 'querystring/count must be an integer from 1 to 100'],
  page: [whole(21_474_836).default(1), 'querystring/page must be an integer from 1 to 21474836'],
  order: [z.enum(['asc', 'desc']).default('asc'), 'querystring/order must be asc or desc'],
} as const;

interface Pagination {
  readonly skip: number;
  readonly count: number;
  readonly order: 'asc' | 'desc';
}

/** Parameters that are not known are passed over, as Blockfrost does. @throws `Problem` 400 */
function pagination(query: URLSearchParams): Pagination {
  const count = parameter(query, 'count');
  return { skip: (parameter(query, 'page') - 1) * count, count, order: parameter(query, 'order') };
}

function parameter<Name extends keyof typeof parameters>(
  query: URLSearchParams,
  name: Name,
): z.output<(typeof parameters)[Name][0]> {
  const [schema, message] = parameters[name];
  const { data, error } = schema.safeParse(query.get(name) ?? undefined);
  if (error !== undefined) throw wrongRequest(name, message);
  return data as z.output<(typeof parameters)[Name][0]>;
}

/** Bech32, or base58 for an address of the Byron era. */
const addressForm = /^(?:addr(?:_test)?1[02-9ac-hj-np-z]{6,110}|[1-9A-HJ-NP-Za-km-z]{40,180})$/;

function checkedAddress(address: string): string {
  if (addressForm.test(address)) return address;
  throw wrongRequest('address', 'Invalid address for this network or malformed address format.');
}

/** @throws `Problem` 404 if no such transaction waits, 400 if that is no hash */
async function content(pool: Mempool, hash: string): Promise<object> {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw wrongRequest('hash', 'Invalid or malformed transaction hash.');
  const [{ stage }, [found = null]] = await Promise.all([pool.status(hash), pool.payloads([hash])]);
  const waits = stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged';
  if (!waits || found === null) throw notFound('The requested component has not been found.');
  try {
    return await transactionContent(pool, readTransaction(found.payload), found.payload.length);
  } catch (error) {
    // Somebody else may have put other bytes into the pool.
    if (error instanceof TransactionError) throw notFound('These bytes are no Cardano transaction.');
    throw error;
  }
}
