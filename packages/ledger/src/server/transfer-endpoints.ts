import {
  type Call,
  type Count,
  countText,
  type Endpoint,
  endpoint,
  json,
  jsonEndpoint,
  notFound,
  Problem,
  pageLimit,
  pageOf,
  refusalForm,
  type Scope,
  z,
} from 'mempool-server/extension';
import type { Ledger, Transfer, TransferAnswer, TransferCall } from '../index.ts';
import { outcomeProblem } from './outcome-problem.ts';
import * as schemas from './schemas.ts';
import type { ServedLedger } from './served-ledger.ts';
import { assertMayCall, WalletRights } from './wallet-rights.ts';
import { assertNameable, idOf, readers, replayHeaders, shownPage } from './wire.ts';

/** What moves money. */
export interface TransferParts extends ServedLedger {
  /** Counts an answered call by its kind and outcome. */
  readonly called: Count;
}

const base = '/api/v1/ledger';
const movers: readonly Scope[] = ['ledger:transfer', 'ledger:admin'];
const maxBatch = 1_000;

const answers = {
  201: {
    description: 'It was carried out, now or before: then with the header Idempotency-Replayed.',
    schema: schemas.transfer,
  },
  400: refusalForm('Malformed.'),
  404: refusalForm('A wallet or a reservation is not known; `outcome` says which.'),
  409: refusalForm('Not in this state: id_conflict, id_expired, wallet_closed, pending_already_….'),
  422: refusalForm('Refused by a rule, such as insufficient_funds. A repeat gets the same: a new try needs a new id.'),
  429: refusalForm('too_many_refusals: nothing is recorded.'),
};

/** Money moves, is reserved, posted and voided. */
export function transferEndpoints(parts: TransferParts): Endpoint[] {
  return [moving(parts), batching(parts), ...resolving(parts), reading(parts), listing(parts)];
}

function moving(parts: TransferParts): Endpoint {
  return endpoint({
    method: 'post',
    path: `${base}/transfers`,
    summary: 'Moves money, or with kind reserve holds it back. Idempotency-Key is the id of the transfer',
    tag: 'ledger',
    scopes: movers,
    body: schemas.transferCall,
    answers,
    answer: (call) => answerOne(parts, call, callOf(call.body, idOf(call, call.body.id), parts.currency)),
  });
}

/** The call of the ledger. An id that is missing is one that is malformed. */
function callOf(given: schemas.GivenCall, id: string | undefined, standard: string): TransferCall {
  if (given.kind === 'post' || given.kind === 'void') return { ...given, id: id ?? '' };
  const { currency = standard, ...rest } = given;
  if (rest.kind === 'reserve') return { ...rest, id: id ?? '', currency };
  return { ...rest, kind: 'transfer', id: id ?? '', currency };
}

async function answerOne({ ledger, called }: TransferParts, { caller }: Call, call: TransferCall): Promise<Response> {
  assertNameable(call.id);
  await assertMayCall(ledger, new WalletRights(caller), [call], { linked: false });
  const answer = await carriedOut(ledger, call);
  called({ kind: call.kind, outcome: answer.outcome });
  const { outcome, transfer, replayed } = answer;
  const headers = replayHeaders(replayed);
  if (outcome === 'created') return json(transfer, 201, headers);
  if (outcome === 'invalid_id' && call.id === '') throw noId();
  throw outcomeProblem(outcome, transfer === null ? {} : { transfer }, headers);
}

function noId(): Problem {
  const detail = 'id: is missing. Send an Idempotency-Key, or id in the body.';
  return new Problem(400, 'ERR_SERVER_REQUEST', { detail, members: { outcome: 'invalid_id', field: 'id' } });
}

function carriedOut(ledger: Ledger, call: TransferCall): Promise<TransferAnswer> {
  switch (call.kind) {
    case 'transfer':
      return ledger.transfer(call);
    case 'reserve':
      return ledger.reserve(call);
    case 'post':
      return ledger.post(call);
    case 'void':
      return ledger.void(call);
  }
}

function batching({ ledger, currency, called }: TransferParts): Endpoint {
  return endpoint({
    method: 'post',
    path: `${base}/transfers/batch`,
    summary: 'Up to 1,000 calls in one step: each alone, or linked, all or none. Each has its id in the body',
    tag: 'ledger',
    scopes: movers,
    body: z.strictObject({ transfers: z.array(schemas.transferCall).max(maxBatch), linked: z.boolean().optional() }),
    answers: {
      200: {
        description: 'An outcome for each, in the same order; of a linked chain only if all were carried out.',
        schema: z.object({ items: z.array(schemas.batchItem) }),
      },
      422: refusalForm('A linked chain was refused: `items` has an outcome for each.'),
    },
    answer: async ({ body: { transfers, linked = false }, caller }) => {
      const calls = transfers.map((each) => callOf(each, each.id, currency));
      for (const { id } of calls) assertNameable(id);
      await assertMayCall(ledger, new WalletRights(caller), calls, { linked });
      const items = await ledger.batch(calls, { linked });
      for (const [i, { outcome }] of items.entries()) called({ kind: calls[i]?.kind ?? 'other', outcome });
      if (!linked || items.every(({ outcome }) => outcome === 'created')) return json({ items });
      const detail = 'A call of the chain was refused, so none was carried out.';
      throw new Problem(422, 'ERR_SERVER_REFUSED', { detail, members: { outcome: 'linked_failed', items } });
    },
  });
}

function resolving(parts: TransferParts): Endpoint[] {
  const resolution = <Body extends { readonly id?: string | undefined }>(
    kind: 'post' | 'void',
    summary: string,
    body: z.ZodType<Body>,
  ): Endpoint =>
    endpoint({
      method: 'post',
      path: `${base}/transfers/{id}/${kind}`,
      summary,
      tag: 'ledger',
      scopes: movers,
      body,
      answers,
      answer: (call) =>
        answerOne(parts, call, {
          ...call.body,
          kind,
          id: idOf(call, call.body.id) ?? '',
          pendingId: call.params.id ?? '',
        }),
    });
  return [
    resolution('post', 'Moves what was reserved, or a part of it; the rest is released', schemas.postBody),
    resolution('void', 'Releases what was reserved', schemas.voidBody),
  ];
}

function reading({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    path: `${base}/transfers/{id}`,
    summary: 'One recorded call, carried out or refused',
    tag: 'ledger',
    scopes: readers,
    description: 'The record, with what became of it.',
    schema: schemas.transfer,
    answer: async ({ params: { id = '' }, caller }) => {
      const transfer = await ledger.findTransfer(id);
      if (transfer === null) throw notFound('There is no such transfer.');
      await assertReads(ledger, new WalletRights(caller), transfer);
      return transfer;
    },
  });
}

/** The owners of the two wallets and the arbiter may read. @throws `Problem` 403 */
async function assertReads(ledger: Ledger, rights: WalletRights, transfer: Transfer): Promise<void> {
  if (rights.owns(transfer.arbiter ?? undefined)) return;
  const destination = await ledger.wallet(transfer.destination);
  if (destination !== null && rights.reads(destination.owner)) return;
  rights.assertReads((await ledger.wallet(transfer.source))?.owner);
}

function listing({ ledger }: ServedLedger): Endpoint {
  return jsonEndpoint({
    path: `${base}/wallets/{id}/transfers`,
    summary: 'What left or entered a wallet, or was reserved in it, in order. Refusals are not listed',
    tag: 'ledger',
    scopes: readers,
    query: z.strictObject({
      after: countText.optional().openapi({ description: '`next` of the page before.' }),
      limit: pageLimit.optional(),
    }),
    description: 'A page.',
    schema: pageOf(schemas.transfer),
    answer: async ({ params: { id = '' }, query, caller }) => {
      const wallet = await ledger.wallet(id);
      if (wallet === null) throw outcomeProblem('wallet_not_found');
      new WalletRights(caller).assertReads(wallet.owner);
      return shownPage(await ledger.transfers({ wallet: id, ...query }), (transfer) => transfer);
    },
  });
}
