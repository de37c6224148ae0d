import type { LedgerRecord } from '../contract/record.ts';
import { noCounters, type WalletCounters } from '../contract/wallet.ts';

/** Counters of wallets by their id. */
export type CountersByWallet = Map<string, WalletCounters>;

/** Adds one record to the counters of its wallets, and returns their ids. Applied to the whole history, it computes all balances. */
export function foldRecord(counters: CountersByWallet, record: LedgerRecord): readonly string[] {
  if (record.type === 'wallet') {
    if (!counters.has(record.wallet.id)) counters.set(record.wallet.id, noCounters);
    return [record.wallet.id];
  }
  if (record.type !== 'transfer') return [record.walletId];
  const { kind, outcome, source, destination, amount, released } = record.transfer;
  if (outcome !== 'created') return [];
  const posted = kind === 'reserve' ? 0n : amount;
  const pending = kind === 'reserve' ? amount : -released;
  const from = counters.get(source) ?? noCounters;
  counters.set(source, {
    ...from,
    debitsPosted: from.debitsPosted + posted,
    debitsPending: from.debitsPending + pending,
  });
  const to = counters.get(destination) ?? noCounters;
  counters.set(destination, {
    ...to,
    creditsPosted: to.creditsPosted + posted,
    creditsPending: to.creditsPending + pending,
  });
  return [source, destination];
}
