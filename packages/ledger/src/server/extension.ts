// The entry `mempool-ledger/server`: a ledger under `/api/v1/ledger` of a server.
import { defineExtension, type Extension } from 'mempool-server/extension';
import { openServedLedger } from './open-ledger.ts';
import { type LedgerSection, section } from './section.ts';

export { type OpenedLedger, servedLedger } from './open-ledger.ts';
export type { LedgerSection } from './section.ts';
export type { ServedLedger } from './served-ledger.ts';

/** A ledger: the section `[ledger]`. */
const extension: Extension<LedgerSection> = defineExtension({
  section: 'ledger',
  schema: section,
  open: openServedLedger,
});

export default extension;
