import type { LedgerSubject } from 'mempool-conformance';
import { memoryLedger, openLedger } from 'mempool-ledger';

export const subject: LedgerSubject = {
  name: 'ledger-memory',
  ledger: (options) => openLedger(memoryLedger, options),
  ledgerTraits: ['clock'],
};
