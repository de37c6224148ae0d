import {
  countText,
  type Endpoint,
  endpoint,
  json,
  jsonEndpoint,
  pageLimit,
  pageOf,
  refusalForm,
  z,
} from 'mempool-server/extension';
import type { CreateWalletAnswer, Wallet } from '../index.ts';
import { outcomeProblem } from './outcome-problem.ts';
import * as schemas from './schemas.ts';
import type { ServedLedger } from './served-ledger.ts';
import { WalletRights } from './wallet-rights.ts';
import { assertNameable, readers, replayHeaders, shownPage, shownWallet } from './wire.ts';

const shown = { description: 'The wallet.', schema: schemas.wallet };

/** Wallets: they are created, found, tagged and closed. */
export function walletEndpoints(served: ServedLedger): Endpoint[] {
  return [creating(served), reading(served), searching(served), tagging(served), closing(served)];
}

function creating({ ledger, currency: standard }: ServedLedger): Endpoint {
  return endpoint({
    method: 'post',
    path: '/api/v1/ledger/wallets',
    summary: 'Creates a wallet. To repeat the request changes nothing',
    tag: 'ledger',
    scopes: ['ledger:admin'],
    body: z.strictObject({
      id: z.string(),
      owner: z.string(),
      tags: z.array(z.string()).optional(),
      currency: z.string().optional().openapi({ description: 'Default: that of the vault.' }),
      overdraft: z.boolean().optional(),
      signer: z.string().nullable().optional(),
    }),
    answers: {
      201: shown,
      409: refusalForm('wallet_exists: the id is taken by a wallet that was created otherwise.'),
    },
    answer: async ({ body: { currency = standard, ...spec } }) => {
      assertNameable(spec.id);
      return created(await ledger.createWallet({ ...spec, currency }));
    },
  });
}

function created({ outcome, wallet, replayed }: CreateWalletAnswer): Response {
  if (outcome === 'created' && wallet !== null) return json(shownWallet(wallet), 201, replayHeaders(replayed));
  throw outcomeProblem(outcome === 'created' ? 'wallet_not_found' : outcome);
}

function reading({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/ledger/wallets/{id}',
    summary: 'One wallet',
    tag: 'ledger',
    scopes: readers,
    ...shown,
    answer: async ({ params: { id = '' }, caller }) => {
      const wallet = found(await ledger.wallet(id));
      new WalletRights(caller).assertReads(wallet.owner);
      return shownWallet(wallet);
    },
  });
}

function found(wallet: Wallet | null): Wallet {
  if (wallet === null) throw outcomeProblem('wallet_not_found');
  return wallet;
}

function searching({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/ledger/wallets',
    summary: 'Wallets in the order of their creation: by owner, by tags, by words, or all',
    tag: 'ledger',
    scopes: readers,
    lists: ['tag'],
    query: z.strictObject({
      owner: z
        .string()
        .optional()
        .openapi({ description: 'Exact. A token with ledger:transfer alone has to name it.' }),
      tag: z
        .array(z.string())
        .optional()
        .openapi({ description: 'Exact, case as given. It may be given several times.' }),
      match: z
        .enum(['all', 'any'])
        .optional()
        .openapi({ description: 'Whether all tags are needed (default) or any.' }),
      words: z
        .string()
        .optional()
        .openapi({ description: 'Each must begin a word of the id, the owner or a tag, in any case.' }),
      after: countText.optional().openapi({ description: '`next` of the page before.' }),
      limit: pageLimit.optional(),
    }),
    description: 'A page.',
    schema: pageOf(schemas.wallet),
    answer: async ({ query, caller }) => {
      const { tag: tags, ...search } = query;
      new WalletRights(caller).assertReads(search.owner);
      return shownPage(await ledger.wallets({ ...search, tags }), shownWallet);
    },
  });
}

function tagging({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    method: 'patch',
    path: '/api/v1/ledger/wallets/{id}/tags',
    summary: 'Replaces the tags of a wallet',
    tag: 'ledger',
    scopes: ['ledger:admin'],
    body: z.strictObject({ tags: z.array(z.string()) }),
    ...shown,
    answer: async ({ params: { id = '' }, body: { tags } }) => {
      const { outcome, wallet } = await ledger.setTags(id, tags);
      if (outcome !== 'set') throw outcomeProblem(outcome);
      return shownWallet(found(wallet));
    },
  });
}

function closing({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    method: 'post',
    path: '/api/v1/ledger/wallets/{id}/close',
    summary: 'Closes a wallet that holds nothing',
    tag: 'ledger',
    scopes: ['ledger:admin'],
    ...shown,
    answer: async ({ params: { id = '' } }) => {
      const { outcome, wallet } = await ledger.closeWallet(id);
      if (outcome !== 'closed') throw outcomeProblem(outcome);
      return shownWallet(found(wallet));
    },
  });
}
