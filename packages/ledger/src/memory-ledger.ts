import { MemoryStore } from './memory/memory-store.ts';
import { defineLedger, type LedgerBackend } from './open-ledger.ts';

/** The backend of a ledger in the memory of this process, for tests, or if history is stored elsewhere. */
export const memoryLedger: LedgerBackend<object> = defineLedger<object>({
  name: 'memory',
  options: {},
  open: async (options) => new MemoryStore(options),
});
