import { availableOf, balanceOf, type Wallet } from 'mempool-ledger';
import type { Call } from '../endpoint.ts';
import { headerOf } from '../host-environment.ts';
import { wrongRequest } from '../problem.ts';

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

/** The header of an answer that was there before this request. */
export function replayHeaders(replayed: boolean): Readonly<Record<string, string>> {
  return replayed ? { 'idempotency-replayed': 'true' } : {};
}
