import type { HubSource } from 'mempool-server/extension';
import type { Ledger, LedgerEvent } from '../index.ts';

/** An event of a ledger as clients get it. */
export type SentLedgerEvent = Readonly<Record<string, unknown>> & {
  readonly kind: LedgerEvent['type'];
  /** The number of the record. */
  readonly cursor: string;
};

/** The records of a ledger as events; their numbers are the cursors. */
export function ledgerSource(ledger: Ledger): HubSource<SentLedgerEvent> {
  return {
    newest: async () => String(await ledger.head()),
    subscribe: async ({ after, signal }) => sent(ledger.subscribe({ after: Number(after), signal })),
  };
}

async function* sent(events: AsyncIterable<LedgerEvent>): AsyncGenerator<SentLedgerEvent, void> {
  for await (const { type: kind, ...event } of events) {
    const position = 'seq' in event ? event.seq : event.to;
    yield { kind, cursor: String(position), ...event };
  }
}
