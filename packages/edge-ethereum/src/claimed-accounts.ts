import { accountTag, type DumpedEntry, knownStages } from 'mempool-core';
import type { Address } from 'viem';
import { AccountTable } from './account-table.ts';

/** The stages from which a transaction still uses its nonce. */
const liveStages = new Set<string>(knownStages.slice(0, knownStages.indexOf('Finalized')));

/**
 * Returns a table of the accounts and nonces in the verdicts of a pool's transactions.
 * @param proven the senders of those whose signature was checked before, by hash
 */
export function claimedIn(entries: readonly DumpedEntry[], proven: ReadonlyMap<string, Address>): AccountTable {
  const table = new AccountTable();
  for (const entry of entries) {
    const claim = claimOf(entry);
    if (claim === null) continue;
    const { hash, stage } = entry;
    if (stage === 'Finalized') table.finalized(claim.from, claim.nonce);
    if (isLive(stage)) table.put({ hash, ...claim, stage, isProven: proven.get(hash) === claim.from });
  }
  return table;
}

/** What `account` wrote into a verdict; `null` for another one. */
function claimOf({ sender, provides }: DumpedEntry): { readonly from: Address; readonly nonce: number } | null {
  if (!isAddress(sender)) return null;
  const prefix = accountTag(sender, 0).slice(0, -1);
  const tag = provides.find((each) => each.startsWith(prefix));
  const nonce = Number(tag?.slice(prefix.length));
  return Number.isSafeInteger(nonce) ? { from: sender, nonce } : null;
}

function isAddress(sender: string): sender is Address {
  return /^0x[0-9a-f]{40}$/.test(sender);
}

function isLive(stage: string): stage is 'Pending' | 'Propagated' | 'Acknowledged' | 'Confirmed' {
  return liveStages.has(stage);
}
