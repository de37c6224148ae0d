import type { Ledger } from '../../src/index.ts';

export const wallets: readonly string[] = ['a', 'b', 'c'];

/** Makes the wallets, with money of the vault in each. */
export async function fill(ledger: Ledger, amount = 100n): Promise<void> {
  for (const id of wallets) {
    await ledger.createWallet({ id, owner: id, currency: 'EUR' });
    await ledger.transfer({ id: `gift ${id}`, source: '~vault', destination: id, amount, currency: 'EUR' });
  }
}
