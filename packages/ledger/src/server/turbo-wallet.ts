import { Problem } from 'mempool-server/extension';
import { balanceOf, type Transfer, type Wallet } from '../index.ts';

/** A wallet with its history as turbo-ledger tells it. @throws `Problem` 422 for an amount that a JSON number cannot hold */
export function turboWallet(wallet: Wallet, history: readonly Transfer[]): object {
  const { id, owner, tags } = wallet;
  const transactions = history.map((transfer) => transactionOf(transfer, id));
  return { wallet_id: id, transactions, balance: exact(balanceOf(wallet)), owner, tags };
}

/** In the history of the source, amounts are negative. */
function transactionOf(transfer: Transfer, wallet: string): object {
  const { id, source, destination, amount, description, metadata, at } = transfer;
  return {
    transaction_id: id,
    source_wallet: source,
    destination_wallet: destination,
    amount: exact(source === wallet ? -amount : amount),
    transaction_description: description,
    date: metadata.date ?? new Date(at).toISOString(),
  };
}

function exact(amount: bigint): number {
  const value = Number(amount);
  if (Number.isSafeInteger(value)) return value;
  const detail = 'An amount is too large for this path: ask /api/v1/ledger, where amounts are text.';
  throw new Problem(422, 'ERR_SERVER_REFUSED', { detail });
}
