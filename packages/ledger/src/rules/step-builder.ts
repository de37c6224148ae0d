import { recordDigest } from '../codec/record-text.ts';
import type { RawRecord, StoredTransfer } from '../contract/record.ts';
import type { TransferState } from '../contract/transfer.ts';
import type { Wallet } from '../contract/wallet.ts';
import { type Head, type LedgerStep, type LedgerView, markKey } from './view.ts';

interface Changes {
  readonly records: RawRecord[];
  readonly wallets: Map<string, Wallet>;
  readonly walletContents: Map<string, string>;
  readonly transfers: Map<string, StoredTransfer>;
  readonly resolved: Map<string, TransferState>;
  readonly refusals: Map<string, number>;
  readonly marks: Map<string, string | null>;
}

/** Builds a step. It is a view that includes the changes of the step so far. A part of the changes can be undone. */
export class StepBuilder implements LedgerView {
  /** The time of every record of this step: the store's clock, or the time of the newest record if that is later. */
  readonly at: number;
  readonly #view: LedgerView;
  #head: Head;
  #changes: Changes = emptyChanges();
  #saved: { readonly head: Head; readonly changes: Changes } | null = null;

  constructor(view: LedgerView, now: number) {
    this.#view = view;
    this.#head = view.head;
    this.at = Math.max(now, view.head.at);
  }

  get head(): Head {
    return this.#head;
  }

  get trimmedAt(): number | null {
    return this.#view.trimmedAt;
  }

  wallet(id: string): Wallet | null {
    return this.#changes.wallets.get(id) ?? this.#view.wallet(id);
  }

  walletContent(id: string): string | null {
    return this.#changes.walletContents.get(id) ?? this.#view.walletContent(id);
  }

  transfer(id: string): StoredTransfer | null {
    return this.#changes.transfers.get(id) ?? this.#view.transfer(id);
  }

  refusals(owner: string): number {
    return this.#changes.refusals.get(owner) ?? this.#view.refusals(owner);
  }

  mark(coupling: string, hash: string): string | null {
    const changed = this.#changes.marks.get(markKey(coupling, hash));
    return changed === undefined ? this.#view.mark(coupling, hash) : changed;
  }

  due(at: number, limit: number): readonly string[] {
    return this.#view.due(at, limit);
  }

  /** Appends a record and returns it with its number and digest. */
  append(record: Omit<RawRecord, 'seq' | 'at' | 'digest'>): RawRecord {
    const numbered = { ...record, seq: this.#head.seq + 1, at: this.at };
    const raw = { ...numbered, digest: recordDigest(this.#head.digest, numbered) };
    this.#head = { seq: raw.seq, at: raw.at, digest: raw.digest };
    this.#changes.records.push(raw);
    if (raw.type === 'wallet') this.#changes.walletContents.set(raw.id, raw.content);
    return raw;
  }

  keepTransfer(raw: RawRecord, state: TransferState): StoredTransfer {
    const stored = { raw, state };
    this.#changes.transfers.set(raw.id, stored);
    return stored;
  }

  /** Ends a pending reservation. */
  resolve({ raw }: StoredTransfer, state: TransferState): void {
    this.#changes.transfers.set(raw.id, { raw, state });
    this.#changes.resolved.set(raw.id, state);
  }

  /** Writes a wallet that the newest record changed. */
  putWallet(wallet: Wallet): Wallet {
    const changed = { ...wallet, version: this.#head.seq };
    this.#changes.wallets.set(wallet.id, changed);
    return changed;
  }

  countRefusal(owner: string): void {
    this.#changes.refusals.set(owner, this.refusals(owner) + 1);
  }

  setMark(coupling: string, hash: string, text: string | null): void {
    this.#changes.marks.set(markKey(coupling, hash), text);
  }

  /** Sets the point to which `takeBack` undoes changes. */
  save(): void {
    const { records, wallets, walletContents, transfers, resolved, refusals, marks } = this.#changes;
    const changes: Changes = {
      records: [...records],
      wallets: new Map(wallets),
      walletContents: new Map(walletContents),
      transfers: new Map(transfers),
      resolved: new Map(resolved),
      refusals: new Map(refusals),
      marks: new Map(marks),
    };
    this.#saved = { head: this.#head, changes };
  }

  takeBack(): void {
    if (this.#saved === null) return;
    this.#head = this.#saved.head;
    this.#changes = this.#saved.changes;
    this.#saved = null;
  }

  build(): LedgerStep {
    const { records, wallets, resolved, refusals, marks } = this.#changes;
    return { records, wallets: [...wallets.values()], resolved, refusals, marks };
  }
}

function emptyChanges(): Changes {
  return {
    records: [],
    wallets: new Map(),
    walletContents: new Map(),
    transfers: new Map(),
    resolved: new Map(),
    refusals: new Map(),
    marks: new Map(),
  };
}
