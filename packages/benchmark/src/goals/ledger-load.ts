import { randomUUID } from 'node:crypto';
import type { Ledger } from 'mempool-ledger';
import { timed } from './measure.ts';

const currency = 'COIN';
/** What the callers of a busy service are taken for. */
export const callers = 64;
/** A batch of the fillers. */
const each = 500;

export function walletName(n: number): string {
  return `wallet-${n}`;
}

/** Makes wallets, with money out of the vault for each: as many transfers. */
export async function fillLedger(ledger: Ledger, wallets: number): Promise<void> {
  for (let from = 0; from < wallets; from += each) {
    const ids = Array.from({ length: Math.min(each, wallets - from) }, (_, n) => walletName(from + n));
    await Promise.all(ids.map((id) => ledger.createWallet({ id, owner: `owner of ${id}`, currency })));
    const calls = ids.map((id) => ({
      id: randomUUID(),
      source: 'vault',
      destination: id,
      amount: 1_000_000n,
      currency,
    }));
    await ledger.batch(calls.map((call) => ({ ...call, kind: 'transfer' })));
  }
}

/** Two different wallets for the `n`th transfer, spread over all of them. */
export function pairOf(n: number, wallets: number): readonly [source: number, destination: number] {
  const source = (n * 7919) % wallets;
  return [source, (source + 1 + (n % (wallets - 1))) % wallets];
}

let made = 0;

/** Milliseconds that `count` transfers take, made by callers of which each waits for its answer. */
export function transfersMs(ledger: Ledger, wallets: number, count: number): Promise<number> {
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      made += 1;
      const [source, destination] = pairOf(made, wallets).map(walletName) as [string, string];
      const { outcome } = await ledger.transfer({ id: randomUUID(), source, destination, amount: 1n, currency });
      if (outcome !== 'created') throw new Error(`a transfer was refused: ${outcome}`);
    }
  };
  return timed(() => Promise.all(Array.from({ length: callers }, caller)));
}
