import type { Mempool } from 'mempool-core';
import { type Ledger, type LedgerPool, ledgerPool } from 'mempool-ledger';

type SignatureCheck = (wallet: string, payload: Uint8Array) => boolean;

export function payments(pool: Mempool, ledger: Ledger, isSignedBy: SignatureCheck): LedgerPool {
  return ledgerPool(pool, ledger, {
    transferOf({ payload }) {
      const { from, to, cents } = JSON.parse(new TextDecoder().decode(payload));
      return { source: from, destination: to, amount: BigInt(cents), currency: 'EUR' };
    },
    authorise: ({ payload }, { source }) => isSignedBy(source, payload),
    report: (report) => console.warn(report.kind),
  });
}
