import { type Call, headerOf, Problem, type Scope, wrongRequest } from 'mempool-server/extension';
import { availableOf, balanceOf, type Wallet } from '../index.ts';

/** The scopes that read wallets and transfers: `WalletRights` says whose. */
export const readers: readonly Scope[] = ['ledger:read', 'ledger:transfer', 'ledger:admin'];

/** A wallet with what follows from its counters. */
export function shownWallet(wallet: Wallet): object {
  const { id, owner, tags, currency, ...rest } = wallet;
  return { id, owner, tags, currency, balance: balanceOf(wallet), available: availableOf(wallet), ...rest };
}

/** The next position of a page is text, as that of every list. */
export function shownPage<Item>(
  { items, next }: { readonly items: readonly Item[]; readonly next: number | null },
  shown: (item: Item) => object,
): object {
  return { items: items.map(shown), next: next === null ? null : String(next) };
}

/** The id of a call, from its body or from `Idempotency-Key`. @throws `Problem` 400 if they differ */
export function idOf({ request, environment }: Call, given: string | undefined): string | undefined {
  const key = headerOf(request, environment, 'idempotency-key');
  if (key !== undefined && given !== undefined && key !== given)
    throw wrongRequest('id', 'id and Idempotency-Key differ.');
  return given ?? key;
}

/**
 * Refuses a new wallet or transfer whose id no path can name: a URL loses `.` and `..`, also encoded, before the server sees it.
 * @throws `Problem` 400
 */
export function assertNameable(id: string | undefined): void {
  if (id !== '.' && id !== '..') return;
  const detail = `id: must not be ${id}, which cannot stand in the path of a URL.`;
  throw new Problem(400, 'ERR_SERVER_REQUEST', { detail, members: { outcome: 'invalid_id', field: 'id' } });
}

/** The header of an answer that was there before this request. */
export function replayHeaders(replayed: boolean): Readonly<Record<string, string>> {
  return replayed ? { 'idempotency-replayed': 'true' } : {};
}
