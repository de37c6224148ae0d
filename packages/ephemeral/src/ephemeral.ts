import { randomUUID } from 'node:crypto';
import { type Backend, defaultRetention, defineBackend, Ledger, ledgerDriver, type OpenOptions } from 'mempool-core';

/** What every backend takes; memory needs nothing else. */
export type EphemeralOptions = OpenOptions;

/** The in-memory backend: every `open` makes a new, empty pool, which ends with its process (D2). */
export const ephemeral: Backend = defineBackend({
  name: 'ephemeral',
  capabilities: { durable: false, shared: false },
  open({ thresholds, retention }) {
    const ledger = new Ledger(randomUUID(), { ...defaultRetention, ...retention });
    return ledgerDriver({
      ledger,
      thresholds,
      commit: (step) => ledger.apply(step),
      close: () => undefined,
    });
  },
});
