import {
  type Endpoint,
  type EventStreams,
  endpoint,
  jsonEndpoint,
  lastEventId,
  wrongRequest,
  z,
} from 'mempool-server/extension';
import { type AuditReport, balanceOf, type Ledger } from '../index.ts';
import type { SentLedgerEvent } from './ledger-source.ts';
import * as schemas from './schemas.ts';
import type { ServedLedger } from './served-ledger.ts';

const vault = '~vault';

/** The ledger in short. */
export function overviewEndpoint({ ledger, currency, decimals }: ServedLedger): Endpoint {
  return jsonEndpoint({
    path: '/api/v1/ledger',
    summary: 'The currency, its decimal places, the money in circulation, and the number of the newest record',
    tag: 'ledger',
    scopes: ['ledger:read', 'ledger:admin'],
    description: 'What is now.',
    schema: schemas.overview,
    answer: async () => {
      const [wallet, seq] = await Promise.all([ledger.wallet(vault), ledger.head()]);
      return { currency, decimals, issued: wallet === null ? 0n : -balanceOf(wallet), seq };
    },
  });
}

/** Recomputes the whole ledger. */
export function auditEndpoint(ledger: Ledger): Endpoint {
  let running: Promise<object> | null = null;
  const audit = async (): Promise<object> => {
    const startedMs = performance.now();
    const report: AuditReport = await ledger.audit();
    return { ...report, at: Date.now(), tookMs: Math.round(performance.now() - startedMs) };
  };
  return jsonEndpoint({
    path: '/api/v1/ledger/audit',
    summary: 'Recomputes every counter and the chain of digests from the history. It reads everything',
    tag: 'ledger',
    scopes: ['ledger:read', 'ledger:admin'],
    description: 'Requests at the same time share one audit.',
    schema: schemas.audit,
    answer: async () => {
      running ??= audit().finally(() => {
        running = null;
      });
      return await running;
    },
  });
}

/** Every record of the ledger, live. */
export function ledgerEventsEndpoint(streams: EventStreams<SentLedgerEvent>): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/v1/ledger/events',
    summary: 'Every record, live, as server-sent events',
    tag: 'ledger',
    scopes: ['ledger:read', 'ledger:admin'],
    query: z.strictObject({
      after: position
        .optional()
        .openapi({ description: 'Resume after this record, 0: from the oldest; `Last-Event-ID` goes before it.' }),
    }),
    answers: {
      200: {
        description:
          'Each `id` is the number of a record: give the last one as `Last-Event-ID` to resume. Events: wallet, tags, close, transfer, lagged (records were trimmed or lost), end (the server stops).',
        contentType: 'text/event-stream',
      },
    },
    answer: (call) => {
      const last = lastEventId(call);
      if (last !== undefined && !position.safeParse(last).success)
        throw wrongRequest('Last-Event-ID', 'Last-Event-ID must be the number of a record.');
      return streams.open(call, { after: call.query?.after, wants: () => true });
    },
  });
}

const position = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})$/, 'must be the number of a record')
  .openapi({ type: 'integer', minimum: 0 });
