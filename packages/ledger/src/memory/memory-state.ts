import { noDigest, recordOfRaw, refusalOwner, transferOfRaw } from '../codec/record-text.ts';
import type { RawRecord, StoredTransfer } from '../contract/record.ts';
import type {
  Mark,
  Opening,
  RecordPage,
  StoreOptions,
  SweepAnswer,
  TransferQuery,
  WalletQuery,
} from '../contract/store.ts';
import { noCounters, type Wallet } from '../contract/wallet.ts';
import { type CountersByWallet, foldRecord } from '../rules/fold.ts';
import { mayTrim, trimBefore } from '../rules/trim.ts';
import { type Head, type LedgerStep, type LedgerView, markKey } from '../rules/view.ts';
import { firstAfter, WalletIndex } from './wallet-index.ts';

interface Due {
  readonly expiresAt: number;
  readonly seq: number;
  readonly id: string;
}

/** The state of a ledger in memory. */
export class MemoryState implements LedgerView {
  readonly #wallets = new Map<string, Wallet>();
  readonly #walletContents = new Map<string, string>();
  readonly #index = new WalletIndex();
  readonly #transfers = new Map<string, StoredTransfer>();
  readonly #refusals = new Map<string, number>();
  readonly #marks = new Map<string, string>();
  /** By the time of expiry, then by `seq`. */
  readonly #due: Due[] = [];
  /** For each wallet, the `seq` of its transfers. */
  readonly #histories = new Map<string, number[]>();
  #log: RawRecord[] = [];
  #openings: CountersByWallet = new Map();
  #digestBefore: string = noDigest;
  #head: Head = { seq: 0, at: 0, digest: noDigest };
  #trimmedAt: number | null = null;

  get head(): Head {
    return this.#head;
  }

  get trimmedAt(): number | null {
    return this.#trimmedAt;
  }

  wallet(id: string): Wallet | null {
    return this.#wallets.get(id) ?? null;
  }

  walletContent(id: string): string | null {
    return this.#walletContents.get(id) ?? null;
  }

  transfer(id: string): StoredTransfer | null {
    return this.#transfers.get(id) ?? null;
  }

  refusals(owner: string): number {
    return this.#refusals.get(owner) ?? 0;
  }

  mark(coupling: string, hash: string): string | null {
    return this.#marks.get(markKey(coupling, hash)) ?? null;
  }

  /** Returns all marks of a coupling. */
  marksOf(coupling: string): readonly Mark[] {
    const prefix = markKey(coupling, '');
    const own = [...this.#marks].filter(([key]) => key.startsWith(prefix));
    return own.map(([key, text]) => ({ hash: key.slice(prefix.length), text }));
  }

  due(at: number, limit: number): readonly string[] {
    const found: string[] = [];
    for (const { id, expiresAt } of this.#due) {
      if (expiresAt > at || found.length === limit) break;
      found.push(id);
    }
    return found;
  }

  write({ records, wallets, resolved, refusals, marks }: LedgerStep): void {
    for (const raw of records) this.#append(raw);
    for (const wallet of wallets) this.#putWallet(wallet);
    for (const [id, state] of resolved) this.#resolve(id, state);
    for (const [owner, count] of refusals) this.#refusals.set(owner, count);
    for (const [key, text] of marks) {
      if (text === null) this.#marks.delete(key);
      else this.#marks.set(key, text);
    }
  }

  transfersOf({ wallet, after, limit }: TransferQuery): readonly StoredTransfer[] {
    const history = this.#histories.get(wallet) ?? [];
    const start = firstAfter(history, after);
    return history.slice(start, start + limit).flatMap((seq) => {
      const raw = this.#log[seq - this.#first];
      return raw === undefined ? [] : (this.#transfers.get(raw.id) ?? []);
    });
  }

  wallets(query: WalletQuery): readonly Wallet[] {
    return this.#index.find(query).flatMap((id) => this.#wallets.get(id) ?? []);
  }

  records(after: number, limit: number): RecordPage {
    const start = Math.max(after + 1 - this.#first, 0);
    const records = this.#log.slice(start, start + limit);
    return { records, first: this.#first, head: this.#head.seq, digestBefore: this.#digestBefore };
  }

  openings(after: string, limit: number): readonly Opening[] {
    const names = [...this.#openings.keys()].toSorted().filter((name) => name > after);
    return names.slice(0, limit).map((wallet) => ({ wallet, ...(this.#openings.get(wallet) ?? noCounters) }));
  }

  /** Removes the oldest records and adds them to the openings. */
  trim(limit: number, { now, retentionMs }: StoreOptions): SweepAnswer {
    const before = trimBefore(now(), retentionMs);
    if (before === null) return { count: 0, more: false };
    const length = this.#log.findIndex((raw) => !mayTrim(raw.at, this.#storedAs(raw), before));
    const oldest = length === -1 ? this.#log.length : length;
    const count = Math.min(oldest, limit);
    for (const raw of this.#log.slice(0, count)) this.#forget(raw);
    this.#log = this.#log.slice(count);
    return { count, more: oldest > limit };
  }

  get #first(): number {
    return this.#head.seq - this.#log.length + 1;
  }

  #storedAs({ type, id }: RawRecord): StoredTransfer | null {
    return type === 'transfer' ? this.transfer(id) : null;
  }

  #append(raw: RawRecord): void {
    this.#log.push(raw);
    this.#head = { seq: raw.seq, at: raw.at, digest: raw.digest };
    if (raw.type === 'wallet') this.#walletContents.set(raw.id, raw.content);
    if (raw.type !== 'transfer') return;
    const transfer = transferOfRaw(raw);
    this.#transfers.set(raw.id, { raw, state: transfer.state });
    if (transfer.outcome !== 'created') return;
    for (const wallet of [transfer.source, transfer.destination]) {
      const history = this.#histories.get(wallet);
      if (history === undefined) this.#histories.set(wallet, [raw.seq]);
      else history.push(raw.seq);
    }
    if (transfer.expiresAt === null) return;
    const due = { expiresAt: transfer.expiresAt, seq: raw.seq, id: raw.id };
    this.#due.splice(this.#dueAt(due), 0, due);
  }

  #putWallet(wallet: Wallet): void {
    const before = this.#wallets.get(wallet.id);
    this.#wallets.set(wallet.id, wallet);
    if (before === undefined) this.#index.add(wallet);
    else this.#index.retag(before, wallet);
  }

  #resolve(id: string, state: StoredTransfer['state']): void {
    const stored = this.#transfers.get(id);
    if (stored === undefined) return;
    this.#transfers.set(id, { raw: stored.raw, state });
    const { expiresAt } = transferOfRaw(stored.raw);
    const position = expiresAt === null ? -1 : this.#dueAt({ expiresAt, seq: stored.raw.seq });
    if (this.#due[position]?.id === id) this.#due.splice(position, 1);
  }

  /** The position of a reservation among those due, or where it belongs. */
  #dueAt({ expiresAt, seq }: Omit<Due, 'id'>): number {
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const due = this.#due[middle];
      const isBefore =
        due !== undefined && (due.expiresAt < expiresAt || (due.expiresAt === expiresAt && due.seq < seq));
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #forget(raw: RawRecord): void {
    this.#digestBefore = raw.digest;
    this.#trimmedAt = raw.at;
    const record = recordOfRaw(raw);
    const touched = foldRecord(this.#openings, record);
    if (record.type !== 'transfer') return;
    this.#transfers.delete(raw.id);
    for (const wallet of touched) this.#histories.get(wallet)?.shift();
    if (record.transfer.outcome !== 'created')
      this.#refusals.set(refusalOwner(raw), this.refusals(refusalOwner(raw)) - 1);
  }
}
