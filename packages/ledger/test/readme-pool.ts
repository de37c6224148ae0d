import type { Mempool } from 'mempool-core';
import { type Ledger, type LedgerPool, ledgerPool } from 'mempool-ledger';

export function payments(pool: Mempool, ledger: Ledger): LedgerPool {
  return ledgerPool(pool, ledger, {
    transferOf({ payload }) {
      const { from, to, cents } = JSON.parse(new TextDecoder().decode(payload));
      return { source: from, destination: to, amount: BigInt(cents), currency: 'EUR' };
    },
    report: (report) => console.warn(report.kind),
  });
}
