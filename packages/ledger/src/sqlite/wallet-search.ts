import type { Wallet, WalletQuery } from '../backend.ts';
import type { LedgerFile } from './ledger-file.ts';
import { walletOf } from './rows.ts';

/** The first wallet of a sorted list whose `seq` is this or greater; `null` if there is none. */
type Next = (from: number) => number | null;

/** Finds wallets by seeks in the indexes, so that the cost depends on the shortest list, however many wallets there are. */
export function findWallets(file: LedgerFile, query: WalletQuery): readonly Wallet[] {
  const next = intersection(listsOf(file, query));
  const found: Wallet[] = [];
  for (let seq = next(query.after + 1); seq !== null && found.length < query.limit; seq = next(seq + 1)) {
    const row = file.row('walletBySeq', seq);
    if (row !== undefined) found.push(walletOf(row));
  }
  return found;
}

function listsOf(file: LedgerFile, { owner, tags, match }: WalletQuery): readonly Next[] {
  const seek =
    (name: string, ...key: readonly string[]): Next =>
    (from) =>
      (file.row(name, ...key, from)?.seq ?? null) as number | null;
  const tagged = tags.map((tag) => seek('nextTagged', tag));
  const lists = match === 'any' && tagged.length > 0 ? [union(tagged)] : tagged;
  if (owner !== null) return [seek('nextOwned', owner), ...lists];
  return lists.length > 0 ? lists : [seek('nextWallet')];
}

/** Every list in turn skips to where the others are. */
function intersection(lists: readonly Next[]): Next {
  return (from) => {
    let seq = from;
    for (let agreeing = 0; agreeing < lists.length; ) {
      for (const next of lists) {
        const at = next(seq);
        if (at === null) return null;
        agreeing = at === seq ? agreeing + 1 : 1;
        seq = at;
        if (agreeing >= lists.length) break;
      }
    }
    return seq;
  };
}

function union(lists: readonly Next[]): Next {
  return (from) =>
    lists.reduce<number | null>((least, next) => {
      const at = next(from);
      return at === null || (least !== null && least < at) ? least : at;
    }, null);
}
