import type { LedgerAudit, LedgerFacts, WireWallet } from '../wire/answers.ts';
import { readJson } from '../wire/read.ts';
import { type LedgerView, noLedger, recordsWith, shownRecords } from './ledger.ts';

/** Follows the records of a ledger, and answers searches. */
export class LedgerReader {
  readonly #show: (view: LedgerView) => void;
  #view: LedgerView = noLedger;
  #source: EventSource | null = null;

  constructor(show: (view: LedgerView) => void) {
    this.#show = show;
  }

  /** Reads the totals, and follows the records from the last few on. @throws `ReadError` */
  async read(): Promise<void> {
    const facts = await readJson<LedgerFacts>('api/v1/ledger');
    this.#set({ facts });
    if (this.#source === null || this.#source.readyState === EventSource.CLOSED) this.#follow(facts.seq);
  }

  /** Nobody looks: `read` follows the records again. */
  stop(): void {
    this.#source?.close();
    this.#source = null;
  }

  /** Finds wallets by words of their id, owner and tags. */
  async search(text: string): Promise<void> {
    await this.#answered(async () => ({ found: { text, wallets: await walletsOf(text) } }));
  }

  async audit(): Promise<void> {
    this.#set({ audit: 'running' });
    await this.#answered(async () => ({ audit: await readJson<LedgerAudit>('api/v1/ledger/audit') }));
    if (this.#view.audit === 'running') this.#set({ audit: null });
  }

  #follow(newest: number): void {
    const known = Number(this.#view.records[0]?.cursor ?? 0);
    const after = Math.max(known, newest - shownRecords, 0);
    const source = new EventSource(`api/v1/ledger/events?after=${after}`);
    this.#source = source;
    for (const kind of ['wallet', 'tags', 'close', 'transfer'])
      source.addEventListener(kind, (event) => {
        this.#set({ records: recordsWith(this.#view.records, JSON.parse((event as MessageEvent<string>).data)) });
      });
    // The store was restored from a backup: the shown records may be gone.
    source.addEventListener('lagged', () => this.#set({ records: [] }));
  }

  async #answered(ask: () => Promise<Partial<LedgerView>>): Promise<void> {
    try {
      this.#set({ ...(await ask()), fault: null });
    } catch (error) {
      this.#set({ fault: error instanceof Error ? error.message : String(error) });
    }
  }

  #set(change: Partial<LedgerView>): void {
    this.#view = { ...this.#view, ...change };
    this.#show(this.#view);
  }
}

async function walletsOf(words: string): Promise<readonly WireWallet[]> {
  const query = new URLSearchParams({ words, limit: '100' });
  return (await readJson<{ items: WireWallet[] }>(`api/v1/ledger/wallets?${query}`)).items;
}
