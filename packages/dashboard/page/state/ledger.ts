import type { LedgerAudit, LedgerFacts, LedgerRecord, WireWallet } from '../wire/answers.ts';

/** The page's data about the ledger. */
export interface LedgerView {
  /** `null`: there is no ledger that may be read, or it was not read yet. */
  readonly facts: LedgerFacts | null;
  /** The last records, newest first. */
  readonly records: readonly LedgerRecord[];
  readonly found: Found | null;
  readonly audit: LedgerAudit | 'running' | null;
  /** Why a search or an audit failed; `null`: it did not. */
  readonly fault: string | null;
}

/** The wallets that somebody searched for. */
export interface Found {
  readonly text: string;
  readonly wallets: readonly WireWallet[];
}

export const noLedger: LedgerView = { facts: null, records: [], found: null, audit: null, fault: null };

/** How many of the last records are shown. */
export const shownRecords = 12;

/** The records with one more. One that came again, after a lost connection, counts once. */
export function recordsWith(records: readonly LedgerRecord[], record: LedgerRecord): readonly LedgerRecord[] {
  const isKnown = records.some(({ cursor }) => Number(cursor) >= Number(record.cursor));
  return isKnown ? records : [record, ...records].slice(0, shownRecords);
}
