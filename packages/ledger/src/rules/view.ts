import type { RawRecord, StoredTransfer } from '../contract/record.ts';
import type { TransferState } from '../contract/transfer.ts';
import type { Wallet } from '../contract/wallet.ts';

export interface Head {
  /** The `seq` of the newest record; 0 for a new ledger. */
  readonly seq: number;
  readonly at: number;
  readonly digest: string;
}

/** The state of a store, as the rules read it. Within one step it does not change. */
export interface LedgerView {
  readonly head: Head;
  wallet(id: string): Wallet | null;
  /** Returns the `walletText` of a wallet; `null` if there is none. */
  walletContent(id: string): string | null;
  transfer(id: string): StoredTransfer | null;
  /** Returns how many refusals of an owner are recorded. */
  refusals(owner: string): number;
  /** Returns a mark of a coupling; `null` if there is none. */
  mark(coupling: string, hash: string): string | null;
  /** The time of the newest record that was trimmed; `null` if none was. */
  readonly trimmedAt: number | null;
  /** Returns the ids of at most `limit` pending reservations that expire at `at` or before, by that time, then by `seq`. */
  due(at: number, limit: number): readonly string[];
}

/** All writes of one step. */
export interface LedgerStep {
  /** The records to append, in order. */
  readonly records: readonly RawRecord[];
  /** The new and the changed wallets, in their new state. */
  readonly wallets: readonly Wallet[];
  /** Ids of reservations that are no longer pending. */
  readonly resolved: ReadonlyMap<string, TransferState>;
  readonly refusals: ReadonlyMap<string, number>;
  /** The new texts of marks, by `markKey`; `null` for those to remove. */
  readonly marks: ReadonlyMap<string, string | null>;
}

/** Returns coupling and hash as one text. */
export function markKey(coupling: string, hash: string): string {
  return `${coupling}\n${hash}`;
}
