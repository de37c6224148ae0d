import { type Endpoint, endpoint, json, jsonEndpoint, Problem, z } from 'mempool-server/extension';
import { newTransferId, type Transfer, type Wallet } from '../index.ts';
import { outcomeProblem } from './outcome-problem.ts';
import type { ServedLedger } from './served-ledger.ts';
import { turboWallet } from './turbo-wallet.ts';
import { assertMayCall, WalletRights } from './wallet-rights.ts';
import { assertNameable, idOf, readers, replayHeaders } from './wire.ts';

const wallet: z.ZodType = z.looseObject({ wallet_id: z.string(), balance: z.number() });
/** Of hits, and of the history that one answer has. */
const maxHits = 1_000;

/** The paths and fields of turbo-ledger, for programs that were written for it. */
export function turboEndpoints(served: ServedLedger): Endpoint[] {
  return [creating(served), moving(served), searching(served, 'owner'), searching(served, 'tags')];
}

const money = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

function creating({ ledger, currency }: ServedLedger): Endpoint {
  return endpoint({
    method: 'post',
    path: '/turbo/wallets',
    summary: 'As in turbo-ledger: creates a wallet. A balance is moved from the vault',
    tag: 'ledger',
    scopes: ['ledger:admin'],
    body: z.strictObject({
      wallet_id: z.string(),
      owner: z.string().optional(),
      tags: z.array(z.string()).nullable().optional(),
      balance: z.union([z.literal(0), money]).optional(),
      transactions: z.array(z.unknown()).nullable().optional(),
    }),
    answers: { 201: { description: 'The wallet.', schema: wallet } },
    answer: async ({ body: { wallet_id: id, owner, tags, balance = 0 } }) => {
      assertNameable(id);
      const spec = { id, owner: owner === undefined || owner === '' ? id : owner, tags: tags ?? [], currency };
      const { outcome, replayed } = await ledger.createWallet(spec);
      // The original takes no wallet twice. One without its money is that of a request that broke off.
      const funding = { id: `turbo:${id}`, source: 'vault', destination: id, amount: BigInt(balance), currency };
      const isWhole = balance === 0 || (await ledger.findTransfer(funding.id)) !== null;
      if (outcome !== 'created' || (replayed && isWhole))
        throw outcomeProblem(outcome === 'created' ? 'wallet_exists' : outcome);
      if (balance > 0) {
        const funded = await ledger.transfer(funding);
        if (funded.outcome !== 'created') throw outcomeProblem(funded.outcome);
      }
      return json(turboWallet((await ledger.wallet(id)) ?? unknown(), []), 201);
    },
  });
}

function unknown(): never {
  throw outcomeProblem('wallet_not_found');
}

function moving({ ledger, currency }: ServedLedger): Endpoint {
  return endpoint({
    method: 'post',
    path: '/turbo/transactions',
    summary: 'As in turbo-ledger: moves money',
    tag: 'ledger',
    scopes: ['ledger:transfer', 'ledger:admin'],
    body: z.strictObject({
      transaction_id: z.string().optional().openapi({ description: 'Without it and an Idempotency-Key, a new one.' }),
      source_wallet: z.string(),
      destination_wallet: z.string(),
      amount: money,
      transaction_description: z.string().optional(),
      date: z.string().optional(),
    }),
    answers: { 201: { description: 'The transaction.', schema: z.looseObject({ transaction_id: z.string() }) } },
    answer: async (request) => {
      const { body, caller } = request;
      const { source_wallet: source, destination_wallet: destination, amount, date } = body;
      const call = {
        id: idOf(request, body.transaction_id) ?? newTransferId(),
        ...{ source, destination, amount: BigInt(amount), currency },
        description: body.transaction_description ?? '',
        metadata: date === undefined ? {} : { date },
      };
      assertNameable(call.id);
      await assertMayCall(ledger, new WalletRights(caller), [{ ...call, kind: 'transfer' }], { linked: false });
      const { outcome, transfer, replayed } = await ledger.transfer(call);
      const headers = replayHeaders(replayed);
      if (outcome !== 'created') throw outcomeProblem(outcome, {}, headers);
      const moved = { source_wallet: source, destination_wallet: destination, amount };
      const when = date ?? new Date(transfer?.at ?? 0).toISOString();
      const told = { transaction_id: call.id, ...moved, transaction_description: call.description, date: when };
      return json(told, 201, headers);
    },
  });
}

function searching(served: ServedLedger, field: 'owner' | 'tags'): Endpoint {
  return jsonEndpoint({
    path: `/turbo/wallets/${field}`,
    summary: `As in turbo-ledger: wallets by ${field}, exact, with their history`,
    tag: 'ledger',
    scopes: readers,
    query: z.strictObject({
      query: z
        .string()
        .min(1)
        .openapi({ description: field === 'tags' ? 'A tag, or several with | between.' : 'All of it.' }),
    }),
    description: 'All hits.',
    schema: z.array(z.object({ wallet_id: z.string(), data: wallet })),
    answer: async ({ query: { query }, caller }) => {
      const rights = new WalletRights(caller);
      rights.assertReads(field === 'owner' ? query : undefined);
      const tags = query.split('|').map((tag) => tag.trim());
      const search = field === 'owner' ? { owner: query } : { tags, match: 'any' as const };
      const { items, next } = await served.ledger.wallets({ ...search, limit: maxHits });
      if (next !== null) throw tooMany('wallets');
      return await Promise.all(items.map((each) => hit(served, each)));
    },
  });
}

async function hit({ ledger }: ServedLedger, found: Wallet): Promise<object> {
  const { items, next } = await ledger.transfers({ wallet: found.id, limit: maxHits });
  if (next !== null) throw tooMany('transactions');
  return { wallet_id: found.id, data: turboWallet(found, items.filter(isMove)) };
}

/** The original knows no reservations: money that is held back has not moved. */
function isMove({ kind, outcome, amount }: Transfer): boolean {
  return outcome === 'created' && amount > 0n && (kind === 'transfer' || kind === 'post');
}

function tooMany(what: string): Problem {
  const detail = `There are ${maxHits} ${what} or more: ask /api/v1/ledger, which has pages.`;
  return new Problem(422, 'ERR_SERVER_REFUSED', { detail });
}
