import { randomBytes } from 'node:crypto';
import { Settling } from 'mempool-redis/backend';
import {
  type CloseWalletAnswer,
  type CreateWalletAnswer,
  expireId,
  expireText,
  LedgerError,
  type LedgerStore,
  ledgerLimits,
  type Mark,
  type MarkChange,
  type MarkPage,
  type Opening,
  type RawRecord,
  type RecordPage,
  type SetTagsAnswer,
  type SettleAnswer,
  type StoreAnswer,
  type StoredTransfer,
  type StoreOptions,
  type SweepAnswer,
  type TransferQuery,
  type TransferRequest,
  type Wallet,
  type WalletQuery,
  type WalletSpec,
  walletText,
} from '../backend.ts';
import type { Calls } from './calls.ts';
import type { LogWatch } from './log-watch.ts';
import type { WalletRow } from './scripts.ts';
import { readAnswer, readOpening, readRecord, readTransfer, readWallet, requestArguments } from './wire.ts';

export interface LedgerParts {
  readonly calls: Calls;
  readonly watch: LogWatch;
  readonly options: Pick<StoreOptions, 'retentionMs' | 'maxRefusals'>;
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** How much one script reads: the server answers nobody else meanwhile. */
const mostPerCall = 250;

/** A ledger on Redis. Each verb is one script. */
export class RedisLedgerStore implements LedgerStore {
  readonly #parts: LedgerParts;
  readonly #underWay = new Settling();
  #closed = false;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  execute(
    requests: readonly TransferRequest[],
    { linked }: { readonly linked: boolean },
  ): Promise<readonly StoreAnswer[]> {
    const { retentionMs, maxRefusals } = this.#parts.options;
    const settings = [linked ? '1' : '', retentionMs ?? '', maxRefusals, ledgerLimits.maxClockAheadMs];
    return this.#during(async ({ calls }) => {
      const rows = await calls.run('execute', [...settings, ...requests.flatMap(requestArguments)]);
      return rows.map((row, index) => readAnswer(row, requests[index]?.content ?? ''));
    });
  }

  settle(
    coupling: string,
    requests: readonly TransferRequest[],
    changes: readonly MarkChange[],
  ): Promise<SettleAnswer> {
    const marks = changes.flatMap(({ hash, before, after }) => [hash, markArgument(before), markArgument(after)]);
    return this.#during(async ({ calls }) => {
      const args = [coupling, changes.length, ...marks, ...requests.flatMap(requestArguments)];
      const [outcome, ...rows] = await calls.run('settle', args);
      const stored = rows.map((row, index) => readTransfer(row, requests[index]?.content));
      return { outcome: String(outcome) as SettleAnswer['outcome'], stored };
    });
  }

  createWallet(spec: WalletSpec): Promise<CreateWalletAnswer> {
    const { id, owner, currency, overdraft, signer, tags } = spec;
    const flags = [overdraft, signer !== null].map((flag) => (flag ? '1' : ''));
    const args = [id, walletText(spec), owner, currency, ...flags, JSON.stringify(tags), ...tags];
    return this.#during(async ({ calls }) => {
      const [outcome, replayed, ...row] = await calls.run('createWallet', args);
      const known = String(outcome) as CreateWalletAnswer['outcome'];
      return { outcome: known, wallet: readWallet(id, row), replayed: replayed === 1 };
    });
  }

  setTags(id: string, tags: readonly string[]): Promise<SetTagsAnswer> {
    return this.#during(async ({ calls }) => {
      const [outcome, ...row] = await calls.run('setTags', [id, JSON.stringify(tags), ...tags]);
      return { outcome: String(outcome) as SetTagsAnswer['outcome'], wallet: walletOrNone(id, row) };
    });
  }

  closeWallet(id: string): Promise<CloseWalletAnswer> {
    return this.#during(async ({ calls }) => {
      const [outcome, ...row] = await calls.run('closeWallet', [id]);
      return { outcome: String(outcome) as CloseWalletAnswer['outcome'], wallet: walletOrNone(id, row) };
    });
  }

  /** Expires due reservations. It first finds them, and then a step expires those that are still due. */
  sweep(limit: number): Promise<SweepAnswer> {
    return this.#during(async ({ calls }) => {
      const due = (await calls.run('due', [limit + 1])).map(String);
      if (due.length === 0) return { count: 0, more: false };
      const args = due.slice(0, limit).flatMap((member) => {
        const [seq, id] = [Number(member.slice(0, 16)), member.slice(16)];
        return [id, expireId(seq), expireText(id)];
      });
      return { count: await calls.run('expire', [newCall(), ...args]), more: due.length > limit };
    });
  }

  /** Trims records in several steps of some hundred records each. */
  trim(limit: number): Promise<SweepAnswer> {
    return this.#during(async ({ calls, options: { retentionMs } }) => {
      if (retentionMs === null) return { count: 0, more: false };
      let count = 0;
      for (;;) {
        const most = Math.min(limit - count, mostPerCall);
        const args = [newCall(), retentionMs + ledgerLimits.maxClockAheadMs, most];
        const [removed, more] = await calls.run('trim', args);
        count += removed;
        if (more === 0 || count >= limit) return { count, more: more === 1 };
      }
    });
  }

  wallet(id: string): Promise<Wallet | null> {
    return this.#during(async ({ calls }) => walletOrNone(id, await calls.run('wallet', [id])));
  }

  wallets({ owner, tags, match, after, limit }: WalletQuery): Promise<readonly Wallet[]> {
    return this.#during(async ({ calls }) => {
      const found: Wallet[] = [];
      for (let from = after; ; ) {
        const most = Math.min(limit - found.length, mostPerCall);
        const [next, ...rows] = await calls.run('wallets', [owner ?? '', match, from, most, ...tags]);
        for (let i = 0; i + 2 < rows.length; i += 3) {
          const [id, about, balance] = rows.slice(i, i + 3) as [Buffer, Buffer, Buffer];
          found.push(readWallet(String(id), [about, balance]));
        }
        if (next === 0 || found.length >= limit) return found;
        from = next;
      }
    });
  }

  transfer(id: string): Promise<StoredTransfer | null> {
    return this.#during(async ({ calls }) => {
      const row = await calls.run('transfer', [id]);
      return row.length === 0 ? null : readTransfer(row);
    });
  }

  transfers({ wallet, after, limit }: TransferQuery): Promise<readonly StoredTransfer[]> {
    return this.#during(async ({ calls }) => {
      const found: StoredTransfer[] = [];
      for (let from = after; ; from = found.at(-1)?.raw.seq ?? from) {
        const most = Math.min(limit - found.length, mostPerCall);
        const rows = await calls.run('transfers', [wallet, from, most]);
        for (const row of rows) found.push(readTransfer(row));
        if (rows.length < most || found.length >= limit) return found;
      }
    });
  }

  records(after: number, limit: number): Promise<RecordPage> {
    return this.#during(async ({ calls }) => {
      const records: RawRecord[] = [];
      let earlier: RecordPage | null = null;
      for (let from = after; ; from = records.at(-1)?.seq ?? from) {
        const most = Math.min(limit - records.length, mostPerCall);
        const [first, head, before, entries] = await calls.run('records', [from, most]);
        // Records were trimmed meanwhile: what was read is still a page.
        if (earlier !== null && earlier.first !== first) return earlier;
        for (const entry of entries) records.push(readRecord(entry));
        earlier = { records, first, head, digestBefore: String(before) };
        if (entries.length < most || records.length >= limit) return earlier;
      }
    });
  }

  openings(after: string, limit: number): Promise<readonly Opening[]> {
    return this.#during(async ({ calls }) => {
      const found: Opening[] = [];
      for (let from = after; ; ) {
        const [next, ...rows] = await calls.run('openings', [from, Math.min(limit - found.length, mostPerCall)]);
        for (let i = 0; i + 1 < rows.length; i += 2) {
          const [id, packed] = rows.slice(i, i + 2) as [Buffer, Buffer];
          found.push(readOpening(String(id), packed));
        }
        from = String(next);
        if (from === '' || found.length >= limit) return found;
      }
    });
  }

  marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#during(async ({ calls }) => {
      const texts: (string | null)[] = [];
      for (let from = 0; from < hashes.length; from += mostPerCall) {
        const found = await calls.run('marks', [coupling, ...hashes.slice(from, from + mostPerCall)]);
        texts.push(...found.map((text) => (text.length === 0 ? null : String(text).slice(1))));
      }
      return texts;
    });
  }

  markPage(coupling: string, cursor: string, limit: number): Promise<MarkPage> {
    return this.#during(async ({ calls }) => {
      const args = [coupling, cursor === '' ? '0' : cursor, Math.min(limit, mostPerCall)];
      const [next, ...rows] = await calls.run('markPage', args);
      const marks: Mark[] = [];
      for (let i = 0; i + 1 < rows.length; i += 2) marks.push({ hash: String(rows[i]), text: String(rows[i + 1]) });
      return { marks, next: String(next) === '0' ? null : String(next) };
    });
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    this.#assertOpen();
    await this.#parts.watch.changed(after, signal);
  }

  /** Closes the store. It waits for the calls under way, at most for their time limit. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#parts.watch.close();
    await this.#underWay.settled(this.#parts.timeoutMs).catch(() => undefined);
    this.#parts.calls.close();
  }

  #during<Answer>(call: (parts: LedgerParts) => Promise<Answer>): Promise<Answer> {
    this.#assertOpen();
    const answer = call(this.#parts);
    this.#underWay.add(answer);
    return answer;
  }

  #assertOpen(): void {
    if (this.#closed) throw new LedgerError('ERR_LEDGER_CLOSED', 'the ledger was closed');
  }
}

function markArgument(text: string | null): string {
  return text === null ? '' : `1${text}`;
}

/** A name that the scripts know a repeated call by. */
function newCall(): string {
  return randomBytes(9).toString('base64url');
}

function walletOrNone(id: string, row: readonly [] | Partial<WalletRow>): Wallet | null {
  const [about, balance] = row;
  return about === undefined || balance === undefined ? null : readWallet(id, [about, balance]);
}
