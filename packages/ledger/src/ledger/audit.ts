import { setImmediate } from 'node:timers/promises';
import { recordDigest, recordOfRaw } from '../codec/record-text.ts';
import { isLedgerError } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { LedgerRecord, RawRecord, StoredTransfer } from '../contract/record.ts';
import type { LedgerStore, RecordPage } from '../contract/store.ts';
import type { Transfer, TransferState } from '../contract/transfer.ts';
import { availableOf, noCounters, type Wallet, type WalletCounters } from '../contract/wallet.ts';
import { type CountersByWallet, foldRecord } from '../rules/fold.ts';

export interface AuditFault {
  /**
   * - `digest`: a record was changed or is missing.
   * - `counters`: the totals of a wallet differ from its history.
   * - `sum`: the debits and credits of all wallets differ.
   * - `overdrawn`: a wallet without overdraft has a negative available amount.
   * - `wallet`: a wallet differs from its records, has none, or is missing.
   * - `transfer`: the state of a transfer differs from its records, or the transfer is missing.
   * - `history`: the list of a wallet's transfers differs from the records.
   * - `trimmed`: the audit gave up, because each of its attempts found records trimmed. The other faults may be due to that.
   */
  readonly kind: 'digest' | 'counters' | 'sum' | 'overdrawn' | 'wallet' | 'transfer' | 'history' | 'trimmed';
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
const maxAttempts = 10;

/** The facts of a wallet by the records that were read. A trimmed record adds none. */
type Facts = Partial<Pick<Wallet, 'owner' | 'currency' | 'overdraft' | 'signer' | 'tags' | 'closed' | 'createdAt'>>;

/**
 * Replays the records, and compares the digests, the wallets, the states of transfers and the histories of wallets with them. Others may
 * write meanwhile. It lets other work run after each page.
 */
export async function audit(store: LedgerStore): Promise<AuditReport> {
  for (let attempt = 1; ; attempt += 1) {
    const run = new Audit(store);
    const report = await run.run();
    // Records were trimmed meanwhile. Their sums were counted neither before nor after.
    if (!run.wasTrimmed || report.ok) return report;
    if (attempt === maxAttempts) return { ...report, faults: [gaveUp, ...report.faults].slice(0, maxFaults) };
  }
}

const gaveUp: AuditFault = { kind: 'trimmed', message: `records were trimmed during each of ${maxAttempts} attempts` };

class Audit {
  readonly #store: LedgerStore;
  readonly #faults: AuditFault[] = [];
  /** Wallets as they are stored, until their history was followed up to their version. */
  readonly #expected = new Map<string, Wallet>();
  readonly #counters: CountersByWallet = new Map();
  readonly #facts = new Map<string, Facts>();
  readonly #pending = new Set<string>();
  /** The number of transfers of each wallet. */
  readonly #moved = new Map<string, number>();
  /** True if the oldest record is no longer the one with which the audit began. */
  wasTrimmed = false;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async run(): Promise<AuditReport> {
    const start = await this.#store.records(0, 1);
    await this.#readOpenings();
    await this.#readWallets();
    const listed = new Set(this.#expected.keys());
    const { head } = await this.#store.records(0, 1);
    for (const [id, wallet] of this.#expected) if (wallet.version < start.first) this.#compare(id, wallet);
    const digest = await this.#readRecords(start, head);
    for (const id of this.#expected.keys())
      this.#report('counters', `wallet ${id} has changes that no record tells of`);
    this.#compareSums();
    await this.#findMissing(listed, start.head);
    await this.#comparePending(head);
    for (const [id, count] of this.#moved) await this.#compareHistory(id, count, head);
    this.wasTrimmed = (await this.#store.records(0, 1)).first !== start.first;
    const faults = this.#faults;
    return {
      ok: faults.length === 0,
      faults,
      records: head - start.first + 1,
      wallets: listed.size,
      seq: head,
      digest,
    };
  }

  async #readOpenings(): Promise<void> {
    for (let after = ''; ; ) {
      const page = await this.#store.openings(after, ledgerLimits.maxPage);
      for (const { wallet, ...counters } of page) this.#counters.set(wallet, counters);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.wallet;
      await setImmediate();
    }
  }

  async #readWallets(): Promise<void> {
    const all = { owner: null, tags: [], match: 'all', limit: ledgerLimits.maxPage } as const;
    for (let after = 0; ; ) {
      const page = await this.#store.wallets({ ...all, after });
      for (const wallet of page) {
        this.#expected.set(wallet.id, wallet);
        if (!wallet.overdraft && availableOf(wallet) < 0n)
          this.#report('overdrawn', `wallet ${wallet.id} is overdrawn`);
      }
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.createdSeq;
      await setImmediate();
    }
  }

  async #readRecords({ first, digestBefore }: RecordPage, head: number): Promise<string> {
    let digest = digestBefore;
    let seq = first - 1;
    while (seq < head) {
      const page = await this.#store.records(seq, Math.min(ledgerLimits.maxPage, head - seq));
      if (page.records.length === 0) {
        this.#report('digest', `record ${seq + 1} is missing`);
        return digest;
      }
      for (const raw of page.records) {
        if (raw.seq !== seq + 1) this.#report('digest', `record ${seq + 1} is missing`);
        if (recordDigest(digest, raw) !== raw.digest) this.#report('digest', `record ${raw.seq} was changed`);
        ({ seq, digest } = raw);
      }
      const records = page.records.flatMap((raw) => this.#decode(raw));
      for (const record of records) this.#follow(record);
      const transfers = records.flatMap((record) => (record.type === 'transfer' ? [record.transfer] : []));
      await Promise.all(transfers.map((transfer) => this.#compareTransfer(transfer)));
      await setImmediate();
    }
    return digest;
  }

  #decode(raw: RawRecord): readonly LedgerRecord[] {
    try {
      return [recordOfRaw(raw)];
    } catch (error) {
      if (!isLedgerError(error, 'ERR_LEDGER_CORRUPT')) throw error;
      this.#report('digest', error.message);
      return [];
    }
  }

  #follow(record: LedgerRecord): void {
    this.#note(record);
    for (const id of foldRecord(this.#counters, record)) {
      if (record.type === 'transfer') this.#moved.set(id, (this.#moved.get(id) ?? 0) + 1);
      const wallet = this.#expected.get(id);
      if (wallet !== undefined && wallet.version <= record.seq) this.#compare(id, wallet);
    }
  }

  #note(record: LedgerRecord): void {
    if (record.type === 'transfer') return;
    if (record.type === 'wallet') {
      const { id, ...spec } = record.wallet;
      this.#facts.set(id, { ...spec, closed: false, createdAt: record.at });
    } else {
      const change = record.type === 'tags' ? { tags: record.tags } : { closed: true };
      this.#facts.set(record.walletId, { ...this.#facts.get(record.walletId), ...change });
    }
  }

  /** Compares the state of a transfer, and of the reservation that it resolves, with its record. */
  async #compareTransfer({ id, kind, outcome, state, pendingId }: Transfer): Promise<void> {
    if (kind === 'reserve' && outcome === 'created') this.#pending.add(id);
    else this.#compareState(id, state, await this.#store.transfer(id));
    if (outcome !== 'created' || pendingId === null || !this.#pending.delete(pendingId)) return;
    this.#compareState(pendingId, state, await this.#store.transfer(pendingId));
  }

  #compareState(id: string, state: TransferState, stored: StoredTransfer | null): void {
    if (stored === null) this.#report('transfer', `transfer ${id} is missing`);
    else if (stored.state !== state)
      this.#report('transfer', `transfer ${id} is ${stored.state}, its records say ${state}`);
  }

  /** Compares the reservations that no record up to `head` resolved. A later one may have. */
  async #comparePending(head: number): Promise<void> {
    const wrong = new Map<string, StoredTransfer | null>();
    for (const id of this.#pending) {
      const stored = await this.#store.transfer(id);
      if (stored?.state !== 'pending') wrong.set(id, stored);
    }
    for (let after = head; wrong.size > 0; ) {
      const { records } = await this.#store.records(after, ledgerLimits.maxPage);
      for (const record of records.flatMap((raw) => this.#decode(raw)))
        if (record.type === 'transfer' && record.transfer.outcome === 'created')
          wrong.delete(record.transfer.pendingId ?? '');
      const last = records.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
    for (const [id, stored] of wrong) this.#compareState(id, 'pending', stored);
  }

  /** Finds wallets that have records and are gone, or are not in the list of wallets. Those after `head` may have come later. */
  async #findMissing(listed: ReadonlySet<string>, head: number): Promise<void> {
    for (const id of this.#counters.keys()) {
      if (listed.has(id)) continue;
      const wallet = await this.#store.wallet(id);
      if (wallet === null) this.#report('wallet', `wallet ${id} is missing`);
      else if (wallet.createdSeq <= head) this.#report('wallet', `wallet ${id} is missing in the list of wallets`);
    }
  }

  async #compareHistory(wallet: string, count: number, head: number): Promise<void> {
    let found = 0;
    for (let after = 0; ; ) {
      const page = await this.#store.transfers({ wallet, after, limit: ledgerLimits.maxPage });
      found += page.filter(({ raw }) => raw.seq <= head).length;
      const last = page.at(-1);
      if (last === undefined || last.raw.seq >= head) break;
      after = last.raw.seq;
      await setImmediate();
    }
    if (found !== count)
      this.#report('history', `the history of wallet ${wallet} has ${found} transfers, its records are ${count}`);
  }

  #compare(id: string, wallet: Wallet): void {
    this.#expected.delete(id);
    const counted = this.#counters.get(id) ?? noCounters;
    for (const name of Object.keys(noCounters) as (keyof WalletCounters)[]) {
      if (wallet[name] === counted[name]) continue;
      this.#report('counters', `wallet ${id} has ${name} ${wallet[name]}, its history adds up to ${counted[name]}`);
    }
    for (const [name, said] of Object.entries(this.#facts.get(id) ?? {})) {
      const stored = JSON.stringify(wallet[name as keyof Facts]);
      if (stored !== JSON.stringify(said))
        this.#report('wallet', `wallet ${id} has ${name} ${stored}, its records say ${JSON.stringify(said)}`);
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
