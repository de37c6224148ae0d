import { accountTag, type ChainPoint, knownStages, type LiveCandidate } from 'mempool-core';
import type { Address } from 'viem';
import { AccountTable } from './account-table.ts';

/** The stages from which a transaction still uses its nonce. */
const liveStages = new Set<string>(knownStages.slice(0, knownStages.indexOf('Finalized')));

/** The fields of a line of an export that the table needs. */
interface Line {
  readonly hash: string;
  readonly stage: string;
  readonly point: ChainPoint | null;
  readonly entry?: { readonly verdict: Pick<LiveCandidate, 'sender' | 'provides'> };
}

/**
 * Returns a table of the accounts and nonces in the verdicts of a pool's transactions.
 * @param lines the lines of an export
 * @param proven the senders of those whose signature was checked before, by hash
 */
export async function claimedIn(
  lines: AsyncIterable<string>,
  proven: ReadonlyMap<string, Address>,
): Promise<AccountTable> {
  const table = new AccountTable();
  for await (const line of lines) {
    const { hash, stage, point, entry } = JSON.parse(line) as Line;
    const claim = entry === undefined ? null : claimOf(entry.verdict);
    if (claim === null) continue;
    if (stage === 'Finalized') table.finalized(claim.from, claim.nonce);
    if (isLive(stage))
      table.put({ hash, ...claim, stage, block: point?.hash ?? null, isProven: proven.get(hash) === claim.from });
  }
  return table;
}

/** What `account` wrote into a verdict; `null` for another one. */
function claimOf({
  sender,
  provides,
}: Pick<LiveCandidate, 'sender' | 'provides'>): { readonly from: Address; readonly nonce: number } | null {
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
