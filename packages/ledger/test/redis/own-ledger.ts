import { randomUUID } from 'node:crypto';
import { type Ledger, type LedgerOptions, openLedger } from 'mempool-ledger';
import { type RedisLedgerOptions, redisLedger } from 'mempool-ledger/redis';
import { onTestFinished } from 'vitest';

export const currency = 'C';

/** A ledger of its own, closed after the test. */
export async function openOwn(options: Partial<LedgerOptions> & RedisLedgerOptions): Promise<Ledger> {
  const ledger = await openLedger(redisLedger, { name: randomUUID(), currency, ...options });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Creates wallets, each owned by its name, with money out of the vault. */
export async function fund(ledger: Ledger, funds: Readonly<Record<string, bigint>>): Promise<void> {
  for (const [id, amount] of Object.entries(funds)) {
    await ledger.createWallet({ id, owner: `owner of ${id}`, currency });
    if (amount > 0n) await ledger.transfer(move(`fund ${id}`, '~vault', id, amount));
  }
}

export function move(id: string, source: string, destination: string, amount: bigint) {
  return { id, source, destination, amount, currency };
}
