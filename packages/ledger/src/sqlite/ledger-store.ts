import { CommitPoll } from 'mempool-sqlite/backend';
import * as ledger from '../backend.ts';
import { ledgerError } from './error.ts';
import { baseRow, FileView, headRow } from './file-view.ts';
import type { LedgerFile } from './ledger-file.ts';
import { openingOf, rawOf, storedOf } from './rows.ts';
import { trimRecords } from './trim.ts';
import { findWallets } from './wallet-search.ts';
import { patience, WriteLine } from './write-line.ts';

const longestWaitMs = 5_000;

/** A ledger in its own file. Each verb runs in an SQLite transaction, which it may share with other waiting verbs. */
export class FileLedgerStore implements ledger.LedgerStore {
  readonly #file: LedgerFile;
  readonly #options: ledger.StoreOptions;
  readonly #commits: CommitPoll;
  readonly #line: WriteLine;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(file: LedgerFile, options: ledger.StoreOptions) {
    this.#file = file;
    this.#options = options;
    this.#commits = new CommitPoll(file);
    this.#line = new WriteLine(file, options.now);
  }

  async execute(
    requests: readonly ledger.TransferRequest[],
    { linked }: { readonly linked: boolean },
  ): Promise<readonly ledger.StoreAnswer[]> {
    const carryOut = linked ? ledger.executeLinked : ledger.execute;
    return this.#open().run((step) => carryOut(step, requests, this.#options), { grows: requests.some(isMove) });
  }

  async settle(
    coupling: string,
    requests: readonly ledger.TransferRequest[],
    changes: readonly ledger.MarkChange[],
  ): Promise<ledger.SettleAnswer> {
    const rule = (step: ledger.StepBuilder) => ledger.settle(step, coupling, requests, changes);
    return this.#open().run(rule, { grows: requests.some(isMove) });
  }

  async createWallet(spec: ledger.WalletSpec): Promise<ledger.CreateWalletAnswer> {
    return this.#open().run((step) => ledger.createWallet(step, spec), { grows: true });
  }

  async setTags(id: string, tags: readonly string[]): Promise<ledger.SetTagsAnswer> {
    return this.#open().run((step) => ledger.setTags(step, id, tags), { grows: true });
  }

  async closeWallet(id: string): Promise<ledger.CloseWalletAnswer> {
    return this.#open().run((step) => ledger.closeWallet(step, id), { grows: false });
  }

  async sweep(limit: number): Promise<ledger.SweepAnswer> {
    return this.#open().run((step) => ledger.expireDue(step, limit), { alone: true, grows: false });
  }

  async trim(limit: number): Promise<ledger.SweepAnswer> {
    const { now, retentionMs } = this.#options;
    const before = ledger.trimBefore(now(), retentionMs);
    if (before === null) return { count: 0, more: false };
    return this.#open().run(() => trimRecords(this.#file, limit, before), { alone: true, grows: false });
  }

  wallet(id: string): Promise<ledger.Wallet | null> {
    return this.#read(() => new FileView(this.#file).wallet(id));
  }

  wallets(query: ledger.WalletQuery): Promise<readonly ledger.Wallet[]> {
    return this.#read(() => findWallets(this.#file, query));
  }

  transfer(id: string): Promise<ledger.StoredTransfer | null> {
    return this.#read(() => new FileView(this.#file).transfer(id));
  }

  transfers({ wallet, after, limit }: ledger.TransferQuery): Promise<readonly ledger.StoredTransfer[]> {
    return this.#read(() => Array.from(this.#file.rows('transfers', wallet, after, limit), storedOf));
  }

  records(after: number, limit: number): Promise<ledger.RecordPage> {
    return this.#read(() => {
      const { seq, digest } = baseRow(this.#file);
      const records = Array.from(this.#file.rows('records', after, limit), rawOf);
      return { records, first: seq + 1, head: headRow(this.#file).seq, digestBefore: digest };
    });
  }

  openings(after: string, limit: number): Promise<readonly ledger.Opening[]> {
    return this.#read(() => Array.from(this.#file.rows('openings', after, limit), openingOf));
  }

  marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#read(() => {
      const view = new FileView(this.#file);
      return hashes.map((hash) => view.mark(coupling, hash));
    });
  }

  markPage(coupling: string, cursor: string, limit: number): Promise<ledger.MarkPage> {
    return this.#read(() => {
      const rows = Array.from(this.#file.rows('marks', coupling, cursor, limit));
      const marks = rows.map(({ hash, text }) => ({ hash: String(hash), text: String(text) }));
      return { marks, next: marks.length < limit ? null : (marks.at(-1)?.hash ?? null) };
    });
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return;
    await new Promise<void>((resolve, reject) => {
      const wake = () => {
        stop();
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      // First, so that no commit falls between the look and the wait.
      const stop = this.#commits.listen(wake);
      const timer = setTimeout(wake, longestWaitMs);
      signal.addEventListener('abort', wake);
      this.#waiting.add(wake);
      this.#read(() => headRow(this.#file).seq).then(
        (seq) => (seq > after ? wake() : undefined),
        (error) => {
          reject(error);
          wake();
        },
      );
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return this.#line.idle();
    this.#closed = true;
    for (const wake of [...this.#waiting]) wake();
    await this.#line.idle();
    this.#file.close();
  }

  async #read<T>(read: () => T): Promise<T> {
    this.#open();
    try {
      return await this.#file.read(patience, () => {
        this.#open();
        return read();
      });
    } catch (error) {
      throw ledgerError(error);
    }
  }

  #open(): WriteLine {
    if (this.#closed) throw new ledger.LedgerError('ERR_LEDGER_CLOSED', 'the ledger was closed');
    return this.#line;
  }
}

function isMove({ kind }: ledger.TransferRequest): boolean {
  return kind === 'transfer' || kind === 'reserve';
}
