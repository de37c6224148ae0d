import { z } from '@hono/zod-openapi';
import type { Mempool, ReceiveOutcome, Submission } from 'mempool-core';
import type { PayloadHash } from '../config/payload-hash.ts';
import { type Endpoint, endpoint, json, jsonEndpoint, refusalForm } from './endpoint.ts';
import type { Histories } from './histories.ts';
import { notFound, Problem, wrongRequest } from './problem.ts';
import { refusalStatus } from './refusals.ts';
import * as schemas from './schemas.ts';
import type { Waits } from './waits.ts';

export interface TransactionParts {
  readonly pool: Mempool;
  readonly hashOf: PayloadHash;
  readonly waits: Waits;
  readonly histories: Histories;
}

const submission = z
  .strictObject({
    hash: schemas.hash.optional(),
    payload: z.base64().openapi({ format: 'byte', description: 'base64' }),
    payloadType: z.int().min(0).max(0xffff).optional(),
    verdict: schemas.verdict.optional(),
    from: z.string().min(1).max(256).optional(),
  })
  .openapi('Submission', { description: 'Without `hash`, the server computes it from the payload.' });

type Given = z.output<typeof submission>;

const tooLargeForm = refusalForm('Larger than a transaction or a request may be.');

/** Submitting a transaction, and asking for a transaction. */
export function transactionEndpoints(parts: TransactionParts): Endpoint[] {
  return [submitting(parts), asking(parts)];
}

function submitting(parts: TransactionParts): Endpoint {
  const { pool, hashOf } = parts;
  return endpoint({
    method: 'post',
    path: '/api/v1/transactions',
    summary: 'Submits one transaction, or a list of up to 1,000. Each counts against the rate.',
    tag: 'transactions',
    scopes: ['submit'],
    query: z.strictObject({
      payloadType: schemas.countText
        .optional()
        .openapi({ description: 'Of a body that is the bytes of a transaction.' }),
    }),
    body: z.union([submission, z.array(submission).min(1).max(1_000)]),
    answers: {
      200: {
        description: 'The pool has it already; or, for a list, an outcome for each.',
        schema: z.union([schemas.outcome, z.object({ items: z.array(schemas.outcome) })]),
      },
      201: { description: 'Received.', schema: schemas.outcome },
      409: refusalForm(
        'Refused, but it may be accepted once the pool has changed. `outcome` is the answer of the pool.',
      ),
      413: tooLargeForm,
      422: refusalForm('Not accepted as it is. `outcome` is the answer of the pool, if it refuses.'),
    },
    answer: async ({ body, operationId, owe }) => {
      if (!Array.isArray(body)) return outcomeAnswer(await pool.submit(submissionOf(body, hashOf), { operationId }));
      owe(body.length - 1);
      const all = body.map((each) => submissionOf(each, hashOf));
      return json({ items: await pool.receive(all, { operationId }) });
    },
    answerBytes: async (payload, { query, operationId }) => {
      const given = { hash: computed(hashOf, payload), payload, payloadType: query?.payloadType };
      return outcomeAnswer(await pool.submit(given, operationId === undefined ? undefined : { operationId }));
    },
  });
}

function submissionOf({ hash, payload, ...rest }: Given, hashOf: PayloadHash): Submission {
  const bytes = Buffer.from(payload, 'base64');
  return { ...rest, hash: hash ?? computed(hashOf, bytes), payload: bytes };
}

/** The chain's hash of bytes that may be no transaction. */
function computed(hashOf: PayloadHash, payload: Uint8Array): string {
  try {
    return hashOf(payload);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw wrongRequest('payload', `The hash of the payload cannot be computed: ${reason.slice(0, 200)}`);
  }
}

function outcomeAnswer(outcome: ReceiveOutcome): Response {
  if (outcome.kind === 'received') return json(outcome, 201);
  if (outcome.kind === 'duplicate') return json(outcome);
  const detail = `The pool refuses the transaction: ${outcome.kind}.`;
  const status = outcome.kind === 'too-large' ? 413 : refusalStatus(outcome);
  throw new Problem(status, 'ERR_SERVER_REFUSED', { detail, members: { outcome } });
}

const waitedStages = ['Propagated', 'Acknowledged', 'Confirmed', 'Finalized'] as const;

const asked = z.strictObject({
  wait: z
    .enum(waitedStages)
    .optional()
    .openapi({ description: 'Answer when it is at this stage or later, or Dropped.' }),
  confirmations: schemas.countText.optional().openapi({ description: 'With wait=Confirmed: so many blocks deep.' }),
  timeout: schemas.duration.optional().openapi({ description: 'Of the wait: at most 10m; default 30s.' }),
  history: schemas.flagText.optional().openapi({ description: 'Also what the kept events tell of it.' }),
});

const longestWaitMs = 600_000;
const defaultWaitMs = 30_000;

function asking({ pool, waits, histories }: TransactionParts): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/transactions/{hash}',
    summary: 'The status of a transaction; waits for a stage if asked to',
    tag: 'transactions',
    query: asked,
    description: 'Its status. `waited` says how a wait ended.',
    schema: schemas.status,
    answer: async (call) => {
      const { hash = '' } = call.params;
      const { wait, timeout = defaultWaitMs, history, ...goal } = call.query ?? {};
      if (timeout > longestWaitMs) throw wrongRequest('timeout', 'timeout: must be at most 10m');
      const [status, waited] =
        wait === undefined
          ? [await pool.status(hash)]
          : await waits.wait(call, { ...goal, wait, hash, timeoutMs: timeout });
      if (status.stage === 'Unknown') throw notFound('The pool does not know this transaction.', { hash, waited });
      const told = history === true ? await histories.of(status.hash) : undefined;
      return { ...status, waited, history: told };
    },
  });
}
