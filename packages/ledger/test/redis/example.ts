import { openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';

/** Pays a purchase, however often it is called: the id has its effect once. */
export async function pay(url: string, purchase: string): Promise<string> {
  const ledger = await openLedger(redisLedger, { url, currency: 'EUR' });
  for (const id of ['alice', 'shop']) await ledger.createWallet({ id, owner: id, currency: 'EUR' });
  const money = { currency: 'EUR', amount: 1_000n };
  await ledger.transfer({ ...money, id: 'first deposit', source: '~vault', destination: 'alice' });
  const { outcome } = await ledger.transfer({ ...money, id: purchase, source: 'alice', destination: 'shop' });
  await ledger.close();
  return outcome;
}
