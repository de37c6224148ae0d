import type { Count, Endpoint, ExtensionParts } from 'mempool-server/extension';
import { auditEndpoint, ledgerEventsEndpoint, overviewEndpoint } from './audit-endpoints.ts';
import { ledgerSource } from './ledger-source.ts';
import type { ServedLedger } from './served-ledger.ts';
import { transferEndpoints } from './transfer-endpoints.ts';
import { walletEndpoints } from './wallet-endpoints.ts';

/** What the paths of a ledger need. */
export interface LedgerParts extends ServedLedger {
  /** Counts an answered call by its kind and outcome. */
  readonly called: Count;
  readonly streamsOf: ExtensionParts['streamsOf'];
}

/** Everything under `/api/v1/ledger`. */
export function ledgerEndpoints(parts: LedgerParts): Endpoint[] {
  const streams = parts.streamsOf(ledgerSource(parts.ledger));
  return [
    ...walletEndpoints(parts),
    ...transferEndpoints(parts),
    overviewEndpoint(parts),
    auditEndpoint(parts.ledger),
    ledgerEventsEndpoint(streams),
  ];
}
