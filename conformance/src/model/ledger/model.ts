import {
  createdText,
  expireId,
  expireText,
  type LedgerStore,
  type MarkChange,
  type MarkPage,
  noDigest,
  type Opening,
  type RawRecord,
  type RecordPage,
  recordDigest,
  refusedText,
  type SettleAnswer,
  type StoreAnswer,
  type StoredTransfer,
  type StoreOptions,
  type SweepAnswer,
  type TransferQuery,
  type TransferRequest,
  transferOfRaw,
  type Wallet,
  type WalletQuery,
  type WalletSpec,
  walletText,
} from 'mempool-ledger/backend';
import { type Check, moveChecks, resolveChecks, unkept } from './checks.ts';

type Step = Pick<RawRecord, 'type' | 'id' | 'content' | 'result'>;
type Totals = Pick<Wallet, 'debitsPosted' | 'creditsPosted' | 'debitsPending' | 'creditsPending'>;
type Named<Outcome extends string> = { readonly outcome: Outcome; readonly wallet: Wallet | null };

const nothing: Totals = { debitsPosted: 0n, creditsPosted: 0n, debitsPending: 0n, creditsPending: 0n };
/** How far the time of an id may be ahead. */
const aheadMs = 300_000;

/** The ledger as its rules read, in plain lists and maps, one call after the other. It knows nothing of the rules in mempool-ledger. */
export class LedgerModel implements LedgerStore {
  options: StoreOptions;
  records_: RawRecord[] = [];
  head_: { seq: number; at: number; digest: string } = { seq: 0, at: 0, digest: noDigest };
  wallets_: Map<string, Wallet> = new Map();
  made: Map<string, string> = new Map();
  kept: Map<string, StoredTransfer> = new Map();
  refusals: Map<string, number> = new Map();
  opened: Map<string, Totals> = new Map();
  /** By coupling, then by hash. */
  marks_: Map<string, Map<string, string>> = new Map();
  digestBefore: string = noDigest;
  /** The time of the newest record that was trimmed. */
  trimmedAt: number = Number.NEGATIVE_INFINITY;
  moves: readonly Check[] = moveChecks;
  resolves: readonly Check[] = resolveChecks;
  #waiting: (() => void)[] = [];

  constructor(options: StoreOptions) {
    this.options = options;
  }

  get at(): number {
    return Math.max(this.options.now(), this.head_.at);
  }

  async execute(requests: readonly TransferRequest[], { linked }: { linked: boolean }): Promise<StoreAnswer[]> {
    return linked ? this.chain(requests) : requests.map((request) => this.one(request));
  }

  async settle(
    coupling: string,
    requests: readonly TransferRequest[],
    changes: readonly MarkChange[],
  ): Promise<SettleAnswer> {
    const marks = this.marksOf(coupling);
    for (const { hash, before } of changes)
      if ((marks.get(hash) ?? null) !== before) return { outcome: 'changed', stored: [] };
    const saved = this.copy();
    const stored: StoredTransfer[] = [];
    for (const request of requests) {
      const outcome = this.kept.has(request.id) ? 'id_conflict' : this.verdict(request);
      const made = outcome === 'created' ? this.carryOut(request).stored : null;
      if (made !== null) stored.push(made);
      else {
        this.restore(saved);
        return { outcome, stored: [] };
      }
    }
    for (const change of changes) this.mark(coupling, change);
    return { outcome: 'settled', stored };
  }

  mark(coupling: string, { hash, after }: MarkChange): void {
    if (after === null) this.marksOf(coupling).delete(hash);
    else this.marksOf(coupling).set(hash, after);
  }

  marksOf(coupling: string): Map<string, string> {
    const found = this.marks_.get(coupling) ?? new Map<string, string>();
    this.marks_.set(coupling, found);
    return found;
  }

  async marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]> {
    return hashes.map((hash) => this.marksOf(coupling).get(hash) ?? null);
  }

  async markPage(coupling: string, cursor: string, limit: number): Promise<MarkPage> {
    const later = [...this.marksOf(coupling)]
      .filter(([hash]) => hash > cursor)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const marks = later.slice(0, limit).map(([hash, text]) => ({ hash, text }));
    return { marks, next: later.length > limit ? (marks.at(-1)?.hash ?? null) : null };
  }

  one(request: TransferRequest): StoreAnswer {
    return this.known(request) ?? this.judged(request);
  }

  judged(request: TransferRequest): StoreAnswer {
    const outcome = this.verdict(request);
    return outcome === 'created' ? this.carryOut(request) : this.refuse(request, outcome);
  }

  chain(requests: readonly TransferRequest[]): StoreAnswer[] {
    const before = this.copy();
    const answers: StoreAnswer[] = [];
    for (const [at, request] of requests.entries()) {
      const answer = this.known(request) ?? this.judged(request);
      answers.push(answer);
      if (answer.outcome === 'created') continue;
      this.restore(before);
      return requests.map((one, i) => this.known(one) ?? this.refuse(one, i === at ? answer.outcome : 'linked_failed'));
    }
    return answers;
  }

  /** What the id was answered; `null` for a new one. */
  known(request: TransferRequest): StoreAnswer | null {
    const stored = this.kept.get(request.id);
    if (stored === undefined) return null;
    return stored.raw.content === request.content ? answer(stored, true) : unkeptAnswer('id_conflict');
  }

  verdict(request: TransferRequest): StoreAnswer['outcome'] {
    const { retentionMs } = this.options;
    const { issuedAt } = request;
    const isOfCaller = !('pendingId' in request) && !request.id.startsWith('~');
    if (isOfCaller && issuedAt === null && this.trimmedAt > Number.NEGATIVE_INFINITY) return 'invalid_id';
    if (retentionMs !== null && issuedAt !== null) {
      if (issuedAt > this.at + aheadMs) return 'invalid_id';
      if (issuedAt < this.at - retentionMs) return 'id_expired';
    }
    if (issuedAt !== null && issuedAt <= this.trimmedAt + aheadMs) return 'id_expired';
    const checks = 'pendingId' in request ? this.resolves : this.moves;
    return checks.find(({ fits }) => fits(this, request))?.outcome ?? 'created';
  }

  carryOut(request: TransferRequest): StoreAnswer {
    if ('pendingId' in request) return this.release(request);
    const { kind, content, amount, source, destination } = request;
    const raw = this.append({ type: 'transfer', id: request.id, content, result: createdText(null) });
    if (kind === 'reserve') this.count(source, destination, 0n, amount);
    else this.count(source, destination, amount, 0n);
    return this.keep(raw, kind === 'reserve' ? 'pending' : 'posted');
  }

  release({ kind, id, content, pendingId, amount }: ReleaseRequest): StoreAnswer {
    const stored = this.kept.get(pendingId);
    if (stored === undefined) throw new Error(`no reservation ${pendingId}`);
    const { source, destination, currency, amount: released } = transferOfRaw(stored.raw);
    const moved = kind === 'post' ? (amount ?? released) : 0n;
    const result = createdText({ source, destination, currency, amount: moved, released });
    const raw = this.append({ type: 'transfer', id, content, result });
    this.count(source, destination, moved, -released);
    const state = kind === 'post' ? 'posted' : kind === 'void' ? 'voided' : 'expired';
    this.kept.set(pendingId, { raw: stored.raw, state });
    return this.keep(raw, state);
  }

  refuse(request: TransferRequest, outcome: StoreAnswer['outcome']): StoreAnswer {
    if (unkept.has(outcome)) return unkeptAnswer(outcome);
    const payer = 'pendingId' in request ? this.payerOf(request.pendingId) : request.source;
    const owner = this.wallets_.get(payer)?.owner ?? '';
    const count = this.refusals.get(owner) ?? 0;
    if (count >= this.options.maxRefusals) return unkeptAnswer('too_many_refusals');
    this.refusals.set(owner, count + 1);
    const result = refusedText(outcome, owner);
    return this.keep(this.append({ type: 'transfer', id: request.id, content: request.content, result }), 'refused');
  }

  payerOf(pendingId: string): string {
    const stored = this.kept.get(pendingId);
    return stored === undefined ? '' : transferOfRaw(stored.raw).source;
  }

  count(source: string, destination: string, posted: bigint, pending: bigint): void {
    this.change(source, (one) => ({
      debitsPosted: one.debitsPosted + posted,
      debitsPending: one.debitsPending + pending,
    }));
    this.change(destination, (one) => ({
      creditsPosted: one.creditsPosted + posted,
      creditsPending: one.creditsPending + pending,
    }));
  }

  change(id: string, changed: (wallet: Wallet) => Partial<Wallet>): Wallet {
    const wallet = this.wallets_.get(id);
    if (wallet === undefined) throw new Error(`no wallet ${id}`);
    const after = { ...wallet, ...changed(wallet), version: this.head_.seq };
    this.wallets_.set(id, after);
    return after;
  }

  append(step: Step): RawRecord {
    const numbered = { ...step, seq: this.head_.seq + 1, at: this.at };
    const raw = { ...numbered, digest: recordDigest(this.head_.digest, numbered) };
    this.head_ = raw;
    this.records_.push(raw);
    for (const wake of this.#waiting.splice(0)) wake();
    return raw;
  }

  keep(raw: RawRecord, state: StoredTransfer['state']): StoreAnswer {
    const stored = { raw, state };
    this.kept.set(raw.id, stored);
    return answer(stored, false);
  }

  async createWallet(spec: WalletSpec): Promise<Named<'created' | 'wallet_exists'> & { readonly replayed: boolean }> {
    const content = walletText(spec);
    const known = this.wallets_.get(spec.id);
    if (known !== undefined) {
      const isSame = this.made.get(spec.id) === content;
      return { outcome: isSame ? 'created' : 'wallet_exists', wallet: known, replayed: isSame };
    }
    const { seq, at } = this.append({ type: 'wallet', id: spec.id, content, result: '' });
    const wallet = { ...spec, ...nothing, closed: false, createdAt: at, createdSeq: seq, version: seq };
    this.wallets_.set(spec.id, wallet);
    this.made.set(spec.id, content);
    return { outcome: 'created', wallet, replayed: false };
  }

  async setTags(id: string, tags: readonly string[]): Promise<Named<'set' | 'wallet_not_found' | 'wallet_closed'>> {
    const wallet = this.wallets_.get(id);
    if (wallet === undefined) return { outcome: 'wallet_not_found', wallet: null };
    if (wallet.closed) return { outcome: 'wallet_closed', wallet };
    const content = JSON.stringify(tags);
    if (JSON.stringify(wallet.tags) === content) return { outcome: 'set', wallet };
    this.append({ type: 'tags', id, content, result: '' });
    return { outcome: 'set', wallet: this.change(id, () => ({ tags })) };
  }

  async closeWallet(id: string): Promise<Named<'closed' | 'wallet_not_found' | 'wallet_not_empty'>> {
    const wallet = this.wallets_.get(id);
    if (wallet === undefined) return { outcome: 'wallet_not_found', wallet: null };
    if (wallet.closed) return { outcome: 'closed', wallet };
    if (wallet.creditsPosted !== wallet.debitsPosted || wallet.debitsPending !== 0n)
      return { outcome: 'wallet_not_empty', wallet };
    this.append({ type: 'close', id, content: '', result: '' });
    return { outcome: 'closed', wallet: this.change(id, () => ({ closed: true })) };
  }

  async sweep(limit: number): Promise<SweepAnswer> {
    const due = [...this.kept.values()]
      .filter(({ state }) => state === 'pending')
      .map(({ raw }) => transferOfRaw(raw))
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= this.at)
      .toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0) || a.seq - b.seq);
    for (const { id: pendingId, seq } of due.slice(0, limit))
      this.release({ kind: 'expire', id: expireId(seq), content: expireText(pendingId), pendingId, amount: null });
    return { count: Math.min(due.length, limit), more: due.length > limit };
  }

  async trim(limit: number): Promise<SweepAnswer> {
    const { retentionMs, now } = this.options;
    if (retentionMs === null) return { count: 0, more: false };
    const before = now() - retentionMs - aheadMs;
    const mayGo = (raw: RawRecord) => raw.at < before && this.kept.get(raw.id)?.state !== 'pending';
    let count = 0;
    for (let raw = this.records_[0]; raw !== undefined && mayGo(raw); raw = this.records_[0]) {
      if (count === limit) return { count, more: true };
      this.forget(raw);
      count += 1;
    }
    return { count, more: false };
  }

  forget(raw: RawRecord): void {
    this.records_.shift();
    this.digestBefore = raw.digest;
    this.trimmedAt = raw.at;
    if (raw.type !== 'transfer') return;
    this.kept.delete(raw.id);
    const { outcome, kind, source, destination, amount, released } = transferOfRaw(raw);
    if (outcome !== 'created') {
      const owner = raw.result.slice(raw.result.indexOf('\n') + 1);
      this.refusals.set(owner, (this.refusals.get(owner) ?? 0) - 1);
      return;
    }
    const [posted, pending] = kind === 'reserve' ? [0n, amount] : [amount, -released];
    const from = this.opened.get(source) ?? nothing;
    this.opened.set(source, {
      ...from,
      debitsPosted: from.debitsPosted + posted,
      debitsPending: from.debitsPending + pending,
    });
    const to = this.opened.get(destination) ?? nothing;
    this.opened.set(destination, {
      ...to,
      creditsPosted: to.creditsPosted + posted,
      creditsPending: to.creditsPending + pending,
    });
  }

  async wallet(id: string): Promise<Wallet | null> {
    return this.wallets_.get(id) ?? null;
  }

  async wallets({ owner, tags, match, after, limit }: WalletQuery): Promise<Wallet[]> {
    return [...this.wallets_.values()]
      .filter((one) => owner === null || one.owner === owner)
      .filter((one) => {
        const has = (tag: string) => one.tags.includes(tag);
        return tags.length === 0 || (match === 'all' ? tags.every(has) : tags.some(has));
      })
      .filter(({ createdSeq }) => createdSeq > after)
      .slice(0, limit);
  }

  async transfer(id: string): Promise<StoredTransfer | null> {
    return this.kept.get(id) ?? null;
  }

  async transfers({ wallet, after, limit }: TransferQuery): Promise<StoredTransfer[]> {
    const touches = ({ source, destination }: { source: string; destination: string }) =>
      source === wallet || destination === wallet;
    return [...this.kept.values()]
      .filter(({ raw, state }) => raw.seq > after && state !== 'refused' && touches(transferOfRaw(raw)))
      .slice(0, limit);
  }

  async records(after: number, limit: number): Promise<RecordPage> {
    const records = this.records_.filter(({ seq }) => seq > after).slice(0, limit);
    const first = this.head_.seq - this.records_.length + 1;
    return { records, first, head: this.head_.seq, digestBefore: this.digestBefore };
  }

  async openings(after: string, limit: number): Promise<Opening[]> {
    const names = [...this.opened.keys()].filter((name) => name > after).toSorted();
    return names.slice(0, limit).map((wallet) => ({ wallet, ...(this.opened.get(wallet) ?? nothing) }));
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    if (this.head_.seq > after || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    signal.addEventListener('abort', () => resolve());
    await promise;
  }

  async close(): Promise<void> {}

  copy(): Partial<LedgerModel> {
    const { head_, wallets_, kept, refusals, records_ } = this;
    return {
      head_,
      records_: [...records_],
      wallets_: new Map(wallets_),
      kept: new Map(kept),
      refusals: new Map(refusals),
    };
  }

  restore(before: Partial<LedgerModel>): void {
    Object.assign(this, before);
  }
}

interface ReleaseRequest {
  readonly kind: 'post' | 'void' | 'expire';
  readonly id: string;
  readonly content: string;
  readonly pendingId: string;
  readonly amount: bigint | null;
}

function answer(stored: StoredTransfer, replayed: boolean): StoreAnswer {
  return { outcome: transferOfRaw(stored.raw).outcome, stored, replayed };
}

function unkeptAnswer(outcome: StoreAnswer['outcome']): StoreAnswer {
  return { outcome, stored: null, replayed: false };
}
