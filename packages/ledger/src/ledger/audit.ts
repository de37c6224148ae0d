import { recordDigest, recordOfRaw } from '../codec/record-text.ts';
import { isLedgerError } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { RawRecord } from '../contract/record.ts';
import type { LedgerStore, RecordPage } from '../contract/store.ts';
import { availableOf, noCounters, type Wallet, type WalletCounters } from '../contract/wallet.ts';
import { type CountersByWallet, foldRecord } from '../rules/fold.ts';

export interface AuditFault {
  /**
   * - `digest`: a record was changed or is missing.
   * - `counters`: the totals of a wallet differ from its history.
   * - `sum`: the debits and credits of all wallets differ.
   * - `overdrawn`: a wallet without overdraft has a negative available amount.
   */
  readonly kind: 'digest' | 'counters' | 'sum' | 'overdrawn';
  /** The record or the wallet, and its fault. */
  readonly message: string;
}

export interface AuditReport {
  readonly ok: boolean;
  /** The first faults, at most 100. */
  readonly faults: readonly AuditFault[];
  /** The number of records that were checked. */
  readonly records: number;
  readonly wallets: number;
  /** The newest record that was checked. Keep its digest elsewhere, to detect later if the whole history was replaced. */
  readonly seq: number;
  readonly digest: string;
}

const maxFaults = 100;

/** Recomputes the digests and every wallet's counters from the history. Others may write meanwhile. */
export async function audit(store: LedgerStore): Promise<AuditReport> {
  for (;;) {
    const report = await new Audit(store).run();
    // Records were trimmed meanwhile: what they added up to was counted neither before nor after.
    if (report !== null) return report;
  }
}

class Audit {
  readonly #store: LedgerStore;
  readonly #faults: AuditFault[] = [];
  /** Wallets as they are stored, until their history was followed up to their version. */
  readonly #expected = new Map<string, Wallet>();
  readonly #counters: CountersByWallet = new Map();

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** Runs the audit. Returns `null` if records were trimmed meanwhile. */
  async run(): Promise<AuditReport | null> {
    const start = await this.#store.records(0, 1);
    await this.#readOpenings();
    const wallets = await this.#readWallets();
    const { head } = await this.#store.records(0, 1);
    for (const [id, wallet] of this.#expected) if (wallet.version < start.first) this.#compare(id, wallet);
    const last = await this.#readRecords(start, head);
    if (last === null) return null;
    for (const id of this.#expected.keys())
      this.#report('counters', `wallet ${id} has changes that no record tells of`);
    this.#compareSums();
    const records = head - start.first + 1;
    return { ok: this.#faults.length === 0, faults: this.#faults, records, wallets, seq: head, digest: last };
  }

  async #readOpenings(): Promise<void> {
    for (let after = ''; ; ) {
      const page = await this.#store.openings(after, ledgerLimits.maxPage);
      for (const { wallet, ...counters } of page) this.#counters.set(wallet, counters);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.wallet;
    }
  }

  async #readWallets(): Promise<number> {
    const all = { owner: null, tags: [], match: 'all', limit: ledgerLimits.maxPage } as const;
    for (let after = 0; ; ) {
      const page = await this.#store.wallets({ ...all, after });
      for (const wallet of page) {
        this.#expected.set(wallet.id, wallet);
        if (!wallet.overdraft && availableOf(wallet) < 0n)
          this.#report('overdrawn', `wallet ${wallet.id} is overdrawn`);
      }
      const last = page.at(-1);
      if (last === undefined) return this.#expected.size;
      after = last.createdSeq;
    }
  }

  async #readRecords({ first, digestBefore }: RecordPage, head: number): Promise<string | null> {
    let digest = digestBefore;
    let seq = first - 1;
    while (seq < head) {
      const page = await this.#store.records(seq, Math.min(ledgerLimits.maxPage, head - seq));
      if (page.first !== first) return null;
      if (page.records.length === 0) {
        this.#report('digest', `record ${seq + 1} is missing`);
        return digest;
      }
      for (const raw of page.records) {
        if (raw.seq !== seq + 1) this.#report('digest', `record ${seq + 1} is missing`);
        if (recordDigest(digest, raw) !== raw.digest) this.#report('digest', `record ${raw.seq} was changed`);
        ({ seq, digest } = raw);
        this.#fold(raw);
      }
    }
    return digest;
  }

  #fold(raw: RawRecord): void {
    try {
      this.#follow(raw.seq, foldRecord(this.#counters, recordOfRaw(raw)));
    } catch (error) {
      if (!isLedgerError(error, 'ERR_LEDGER_CORRUPT')) throw error;
      this.#report('digest', error.message);
    }
  }

  #follow(seq: number, touched: readonly string[]): void {
    for (const id of touched) {
      const wallet = this.#expected.get(id);
      if (wallet !== undefined && wallet.version <= seq) this.#compare(id, wallet);
    }
  }

  #compare(id: string, wallet: Wallet): void {
    this.#expected.delete(id);
    const counted = this.#counters.get(id) ?? noCounters;
    for (const name of Object.keys(noCounters) as (keyof WalletCounters)[]) {
      if (wallet[name] === counted[name]) continue;
      this.#report('counters', `wallet ${id} has ${name} ${wallet[name]}, its history adds up to ${counted[name]}`);
    }
  }

  #compareSums(): void {
    const sum = (name: keyof WalletCounters) => [...this.#counters.values()].reduce((all, one) => all + one[name], 0n);
    const posted = sum('creditsPosted') - sum('debitsPosted');
    const pending = sum('creditsPending') - sum('debitsPending');
    if (posted !== 0n) this.#report('sum', `credits and debits posted differ by ${posted}`);
    if (pending !== 0n) this.#report('sum', `credits and debits pending differ by ${pending}`);
  }

  #report(kind: AuditFault['kind'], message: string): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ kind, message });
  }
}
