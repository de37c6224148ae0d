import type { RawRecord, StoredTransfer } from '../contract/record.ts';
import type { TransferState } from '../contract/transfer.ts';
import type { Wallet } from '../contract/wallet.ts';

export interface Head {
  /** Of the newest record; 0 for a new ledger. */
  readonly seq: number;
  readonly at: number;
  readonly digest: string;
}

/** What a store holds, as far as a rule asks. Within one step the answers do not change. */
export interface LedgerView {
  readonly head: Head;
  wallet(id: string): Wallet | null;
  /** What the wallet was created with, as `walletText`; `null` if there is none. */
  walletContent(id: string): string | null;
  transfer(id: string): StoredTransfer | null;
  /** The number of the last reservation of a series; 0 if there is none. */
  series(name: string): number;
  /** How many refusals of an owner are recorded. */
  refusals(owner: string): number;
  /** Ids of at most `limit` pending reservations that expire at `at` or before, in the order of that time, then of `seq`. */
  due(at: number, limit: number): readonly string[];
}

/** Everything that one step writes. */
export interface LedgerStep {
  /** To append, in order. */
  readonly records: readonly RawRecord[];
  /** Wallets as they are afterwards, the new ones among them. */
  readonly wallets: readonly Wallet[];
  /** Ids of reservations that are no longer pending. */
  readonly resolved: ReadonlyMap<string, TransferState>;
  readonly series: ReadonlyMap<string, number>;
  readonly refusals: ReadonlyMap<string, number>;
}
