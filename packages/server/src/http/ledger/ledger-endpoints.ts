import type { Metrics } from '../../metrics/metrics.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventHub } from '../event-hub.ts';
import type { StreamsOf } from '../event-streams.ts';
import { auditEndpoint, ledgerEventsEndpoint, overviewEndpoint } from './audit-endpoints.ts';
import { ledgerSource } from './ledger-source.ts';
import type { ServedLedger } from './served-ledger.ts';
import { transferEndpoints } from './transfer-endpoints.ts';
import { turboEndpoints } from './turbo-endpoints.ts';
import { walletEndpoints } from './wallet-endpoints.ts';

/** What the paths of a ledger need. */
export interface LedgerParts extends ServedLedger {
  readonly metrics: Metrics | null;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  readonly streamsOf: StreamsOf;
}

/** Everything under `/api/v1/ledger`, and `/turbo`. */
export function ledgerEndpoints(parts: LedgerParts): Endpoint[] {
  const source = ledgerSource(parts.ledger);
  const streams = parts.streamsOf(source, new EventHub(source, parts.stopping));
  return [
    ...walletEndpoints(parts),
    ...transferEndpoints(parts),
    overviewEndpoint(parts),
    auditEndpoint(parts.ledger),
    ledgerEventsEndpoint(streams),
    ...(parts.turbo === true ? turboEndpoints(parts) : []),
  ];
}
