import type { CloseWalletOutcome, CreateWalletOutcome, SetTagsOutcome, TransferOutcome } from './outcome.ts';
import type { RawRecord, StoredTransfer, WalletSpec } from './record.ts';
import type { TransferRequest } from './request.ts';
import type { Wallet, WalletCounters } from './wallet.ts';

/** `stored` is the kept record; `null` for an outcome that is not recorded. `replayed`: it was there before this call. */
export interface StoreAnswer {
  readonly outcome: TransferOutcome;
  readonly stored: StoredTransfer | null;
  readonly replayed: boolean;
}

export interface CreateWalletAnswer {
  readonly outcome: CreateWalletOutcome;
  /** As it is now; `null` if there is none. */
  readonly wallet: Wallet | null;
  readonly replayed: boolean;
}

export interface SetTagsAnswer {
  readonly outcome: SetTagsOutcome;
  readonly wallet: Wallet | null;
}

export interface CloseWalletAnswer {
  readonly outcome: CloseWalletOutcome;
  readonly wallet: Wallet | null;
}

export interface WalletQuery {
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly match: 'all' | 'any';
  /** Only wallets created after this `seq`. */
  readonly after: number;
  readonly limit: number;
}

export interface TransferQuery {
  /** The wallet that money left or entered, or is reserved in. Refusals are not listed. */
  readonly wallet: string;
  readonly after: number;
  readonly limit: number;
}

export interface RecordPage {
  readonly records: readonly RawRecord[];
  /** The `seq` of the oldest record that is kept; one more than `head` if none is. */
  readonly first: number;
  /** The `seq` of the newest record; 0 for a new ledger. */
  readonly head: number;
  /** The digest of the record before `first`; 40 zeros if there was none. */
  readonly digestBefore: string;
}

/** What trimmed records had added up to for one wallet. */
export interface Opening extends WalletCounters {
  readonly wallet: string;
}

export interface SweepAnswer {
  /** How many reservations expired, or records were trimmed, in this call. */
  readonly count: number;
  /** Whether there is more to do: call again. */
  readonly more: boolean;
}

/**
 * One backend's ledger. It gets checked input only. Each method is one atomic step; one that changes something either
 * takes effect whole or not at all, also when a process is killed in it. What it answered is kept.
 *
 * @throws a `LedgerError` with `ERR_LEDGER_CLOSED`, `_UNAVAILABLE`, `_OUTCOME_UNKNOWN`, `_STORE_FULL`, `_CORRUPT`, `_REFUSED`
 */
export interface LedgerStore {
  /** Carries out requests in order in one step, each alone, or with `linked` all or none. Answers in the same order. */
  execute(requests: readonly TransferRequest[], options: { readonly linked: boolean }): Promise<readonly StoreAnswer[]>;
  createWallet(spec: WalletSpec): Promise<CreateWalletAnswer>;
  setTags(id: string, tags: readonly string[]): Promise<SetTagsAnswer>;
  closeWallet(id: string): Promise<CloseWalletAnswer>;
  /** Expires at most `limit` reservations whose time has come, those due first before others. */
  sweep(limit: number): Promise<SweepAnswer>;
  /** With a retention, removes at most `limit` of the oldest records and adds them to the openings in the same step. */
  trim(limit: number): Promise<SweepAnswer>;

  wallet(id: string): Promise<Wallet | null>;
  /** In the order of `createdSeq`. */
  wallets(query: WalletQuery): Promise<readonly Wallet[]>;
  transfer(id: string): Promise<StoredTransfer | null>;
  /** The number of the last reservation of a series; 0 if there is none. */
  series(name: string): Promise<number>;
  /** In the order of `seq`. */
  transfers(query: TransferQuery): Promise<readonly StoredTransfer[]>;
  records(after: number, limit: number): Promise<RecordPage>;
  /** Of wallets after this id, in any fixed order. */
  openings(after: string, limit: number): Promise<readonly Opening[]>;

  /** Resolves once there may be a record after `after`, at the latest after some seconds, or when `signal` aborts. */
  changed(after: number, signal: AbortSignal): Promise<void>;
  /** Ends waits. Releases what the store holds. Can be repeated. */
  close(): Promise<void>;
}

/** What every backend is opened with. */
export interface StoreOptions {
  /** The name of the ledger within the backend. */
  readonly name: string;
  /** Records older than this may be trimmed, in milliseconds; `null`: kept for ever. */
  readonly retentionMs: number | null;
  /** How many refusals of one owner are recorded. */
  readonly maxRefusals: number;
  /** The clock of stores that have none of their own, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A backend as its author writes it; `defineLedger` makes a `LedgerBackend` of it. */
export interface LedgerDefinition<Options extends object> {
  readonly name: string;
  /** Names of the options that are the backend's own; others are refused. */
  readonly options: Readonly<Record<keyof Options & string, true>>;
  open(options: Options & StoreOptions): Promise<LedgerStore>;
}
