import type { CloseWalletOutcome, CreateWalletOutcome, SetTagsOutcome, TransferOutcome } from './outcome.ts';
import type { RawRecord, StoredTransfer, WalletSpec } from './record.ts';
import type { TransferRequest } from './request.ts';
import type { Wallet, WalletCounters } from './wallet.ts';

/** The answer to a request. `stored` is its record; `null` if the outcome is not stored. `replayed` is true if an earlier call made it. */
export interface StoreAnswer {
  readonly outcome: TransferOutcome;
  readonly stored: StoredTransfer | null;
  readonly replayed: boolean;
}

/** The change of one mark, which is a text that a coupling keeps for a hash. */
export interface MarkChange {
  /** 1 to 128 of the characters `a–z 0–9 -`. */
  readonly hash: string;
  /** The text that is expected; `null` for none. With another one, the step changes nothing. */
  readonly before: string | null;
  /** The text to write; `null` removes the mark. */
  readonly after: string | null;
}

/** `settled`: all was done. `changed`: a mark is not as expected. Otherwise the outcome of the first request that a rule refuses. */
export type SettleOutcome = TransferOutcome | 'settled' | 'changed';

/** The answer to a settlement. Unless the outcome is `settled`, nothing was changed, and there are no records. */
export interface SettleAnswer {
  readonly outcome: SettleOutcome;
  readonly stored: readonly StoredTransfer[];
}

export interface Mark {
  readonly hash: string;
  readonly text: string;
}

/** Some marks. `next` is the cursor of the next page; `null` after the last. */
export interface MarkPage {
  readonly marks: readonly Mark[];
  readonly next: string | null;
}

export interface CreateWalletAnswer {
  readonly outcome: CreateWalletOutcome;
  /** The present wallet; `null` if there is none. */
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
  /** Return only wallets created after this `seq`. */
  readonly after: number;
  readonly limit: number;
}

export interface TransferQuery {
  /** Return transfers from or to this wallet, and its reservations, without refusals. */
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

/** The totals of a wallet's trimmed records. */
export interface Opening extends WalletCounters {
  readonly wallet: string;
}

export interface SweepAnswer {
  /** The number of reservations that expired, or of records that were trimmed, in this call. */
  readonly count: number;
  /** True if there is more to do. Call again. */
  readonly more: boolean;
}

/**
 * The store of a ledger, implemented by a backend. It receives only checked input. Each method is one atomic step, even if the process
 * is killed during the call. An answered change is durable.
 *
 * @throws a `LedgerError` with `ERR_LEDGER_CLOSED`, `_UNAVAILABLE`, `_OUTCOME_UNKNOWN`, `_STORE_FULL`, `_CORRUPT`, `_REFUSED`
 */
export interface LedgerStore {
  /** Executes requests in order, in one step. With `linked`, all succeed or none does. Returns the answers in the same order. */
  execute(requests: readonly TransferRequest[], options: { readonly linked: boolean }): Promise<readonly StoreAnswer[]>;
  /**
   * Compares the marks of a coupling, executes all requests and writes the marks, in one step: all of it or nothing. A refusal is not
   * recorded. The ids of the requests are new.
   */
  settle(coupling: string, requests: readonly TransferRequest[], changes: readonly MarkChange[]): Promise<SettleAnswer>;
  createWallet(spec: WalletSpec): Promise<CreateWalletAnswer>;
  setTags(id: string, tags: readonly string[]): Promise<SetTagsAnswer>;
  closeWallet(id: string): Promise<CloseWalletAnswer>;
  /** Expires at most `limit` reservations whose time has come, the earliest first. */
  sweep(limit: number): Promise<SweepAnswer>;
  /** If there is a retention, removes at most `limit` of the oldest records and adds them to the openings, in one step. */
  trim(limit: number): Promise<SweepAnswer>;

  wallet(id: string): Promise<Wallet | null>;
  /** Returns wallets in the order of `createdSeq`. */
  wallets(query: WalletQuery): Promise<readonly Wallet[]>;
  transfer(id: string): Promise<StoredTransfer | null>;
  /** Returns transfers in the order of `seq`. */
  transfers(query: TransferQuery): Promise<readonly StoredTransfer[]>;
  records(after: number, limit: number): Promise<RecordPage>;
  /** Returns the openings of wallets after this id, in any fixed order. */
  openings(after: string, limit: number): Promise<readonly Opening[]>;

  /** Returns the marks of a coupling for some hashes, in their order; `null` where there is none. */
  marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]>;
  /**
   * Returns about `limit` marks of a coupling, in any fixed order. A mark that exists from the first page to the last is returned at
   * least once. `cursor` is `next` of the page before; `''` begins.
   */
  markPage(coupling: string, cursor: string, limit: number): Promise<MarkPage>;

  /** Resolves when there may be a record after `after`, when some seconds have passed, or when `signal` aborts. */
  changed(after: number, signal: AbortSignal): Promise<void>;
  /** Ends waits and releases resources. Can be repeated. */
  close(): Promise<void>;
}

/** The options with which every backend is opened. */
export interface StoreOptions {
  /** The name of the ledger within the backend. */
  readonly name: string;
  /** The age after which records may be trimmed, in milliseconds; `null` keeps them for ever. */
  readonly retentionMs: number | null;
  /** How many refusals of one owner are recorded. */
  readonly maxRefusals: number;
  /** The clock for stores that have no own clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A backend as its author writes it. `defineLedger` makes a `LedgerBackend` from it. */
export interface LedgerDefinition<Options extends object> {
  readonly name: string;
  /** The names of the backend's own options. Other options are refused. */
  readonly options: Readonly<Record<keyof Options & string, true>>;
  open(options: Options & StoreOptions): Promise<LedgerStore>;
}
