import { LedgerError } from '../contract/errors.ts';
import type { StoredTransfer, WalletSpec } from '../contract/record.ts';
import type { TransferRequest } from '../contract/request.ts';
import type * as store from '../contract/store.ts';
import type { Wallet } from '../contract/wallet.ts';
import { execute, executeLinked, settle } from '../rules/execute.ts';
import { expireDue } from '../rules/resolve.ts';
import { StepBuilder } from '../rules/step-builder.ts';
import { closeWallet, createWallet, setTags } from '../rules/wallets.ts';
import { MemoryState } from './memory-state.ts';

/** A ledger in the memory of this process. It is gone when the process ends. */
export class MemoryStore implements store.LedgerStore {
  readonly #options: store.StoreOptions;
  readonly #state = new MemoryState();
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(options: store.StoreOptions) {
    this.#options = options;
  }

  async execute(
    requests: readonly TransferRequest[],
    { linked }: { readonly linked: boolean },
  ): Promise<readonly store.StoreAnswer[]> {
    return this.#write((step) => (linked ? executeLinked : execute)(step, requests, this.#options));
  }

  async settle(
    coupling: string,
    requests: readonly TransferRequest[],
    changes: readonly store.MarkChange[],
  ): Promise<store.SettleAnswer> {
    return this.#write((step) => settle(step, coupling, requests, changes));
  }

  async createWallet(spec: WalletSpec): Promise<store.CreateWalletAnswer> {
    return this.#write((step) => createWallet(step, spec));
  }

  async setTags(id: string, tags: readonly string[]): Promise<store.SetTagsAnswer> {
    return this.#write((step) => setTags(step, id, tags));
  }

  async closeWallet(id: string): Promise<store.CloseWalletAnswer> {
    return this.#write((step) => closeWallet(step, id));
  }

  async sweep(limit: number): Promise<store.SweepAnswer> {
    return this.#write((step) => expireDue(step, limit));
  }

  async trim(limit: number): Promise<store.SweepAnswer> {
    return this.#open().trim(limit, this.#options);
  }

  async wallet(id: string): Promise<Wallet | null> {
    return this.#open().wallet(id);
  }

  async wallets(query: store.WalletQuery): Promise<readonly Wallet[]> {
    return this.#open().wallets(query);
  }

  async transfer(id: string): Promise<StoredTransfer | null> {
    return this.#open().transfer(id);
  }

  async transfers(query: store.TransferQuery): Promise<readonly StoredTransfer[]> {
    return this.#open().transfersOf(query);
  }

  async records(after: number, limit: number): Promise<store.RecordPage> {
    return this.#open().records(after, limit);
  }

  async openings(after: string, limit: number): Promise<readonly store.Opening[]> {
    return this.#open().openings(after, limit);
  }

  async marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]> {
    const state = this.#open();
    return hashes.map((hash) => state.mark(coupling, hash));
  }

  async markPage(coupling: string): Promise<store.MarkPage> {
    return { marks: this.#open().marksOf(coupling), next: null };
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    if (this.#open().head.seq > after || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeAll();
  }

  /** Works out a step and writes it at once: nothing can come between. */
  #write<Answer>(rule: (step: StepBuilder) => Answer): Answer {
    const step = new StepBuilder(this.#open(), this.#options.now());
    const answer = rule(step);
    this.#state.write(step.build());
    this.#wakeAll();
    return answer;
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #open(): MemoryState {
    if (this.#closed) throw new LedgerError('ERR_LEDGER_CLOSED', 'the ledger was closed');
    return this.#state;
  }
}
