import { MemoryStore } from './memory/memory-store.ts';
import { defineLedger, type LedgerBackend } from './open-ledger.ts';

/** A ledger in the memory of this process: for tests, or where history is kept elsewhere. */
export const memoryLedger: LedgerBackend<object> = defineLedger<object>({
  name: 'memory',
  options: {},
  open: async (options) => new MemoryStore(options),
});
