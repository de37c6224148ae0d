import { recordOfRaw, transferOfStored } from '../codec/record-text.ts';
import { badArgument, LedgerError } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { LedgerRecord } from '../contract/record.ts';
import type { TransferRequest } from '../contract/request.ts';
import type {
  CloseWalletAnswer,
  CreateWalletAnswer,
  LedgerStore,
  MarkChange,
  MarkPage,
  SetTagsAnswer,
  StoreAnswer,
  SweepAnswer,
  WalletQuery,
} from '../contract/store.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Wallet } from '../contract/wallet.ts';
import { systemWallet } from '../rules/wallets.ts';
import { type CheckContext, checkCall, checkWallet } from './arguments.ts';
import { type AuditReport, audit } from './audit.ts';
import { CallQueue } from './call-queue.ts';
import { checkNames, checkTags, checkText, checkWhole, isSystemId, isWalletId } from './check.ts';
import { follow, type LedgerEvent } from './subscription.ts';
import type * as verbs from './verbs.ts';
import { wordSearch } from './word-search.ts';

/** The answer to a call. `transfer` is its record; `null` if the outcome is not stored. `replayed` is true if an earlier call made it. */
export interface TransferAnswer {
  readonly outcome: TransferOutcome;
  readonly transfer: Transfer | null;
  readonly replayed: boolean;
}

const defaultLimit = 100;
const searchNames = { owner: true, tags: true, match: true, words: true, after: true, limit: true } as const;
const transfersNames = { wallet: true, after: true, limit: true } as const;
const subscribeNames = { after: true, signal: true } as const;

/**
 * A ledger: wallets, and money that moves between them. Every verb is one atomic step of the store and safe to repeat under its id. A
 * refusal by a rule is an answer with an `outcome`, not an error.
 *
 * @throws from every verb a `LedgerError`: `ERR_LEDGER_ARGUMENT` naming the field, `ERR_LEDGER_CLOSED`, and the errors of `LedgerStore`
 */
export class Ledger {
  /** The name with which the ledger was opened. Signatures cover it. */
  readonly name: string;
  readonly #store: LedgerStore;
  readonly #queue: CallQueue;
  readonly #context: CheckContext;
  readonly #ended = new AbortController();

  /** Use `openLedger`. */
  constructor(store: LedgerStore, context: CheckContext) {
    this.name = context.ledger;
    this.#store = store;
    this.#queue = new CallQueue(store);
    this.#context = context;
  }

  /** Creates a wallet. A repeat changes nothing. The outcome is `wallet_exists` if the id has a wallet with other arguments. */
  async createWallet(options: verbs.CreateWalletOptions): Promise<CreateWalletAnswer> {
    const spec = checkWallet(options);
    if (spec === null) return { outcome: 'invalid_id', wallet: null, replayed: false };
    return this.#live().createWallet(spec);
  }

  async wallet(id: string): Promise<Wallet | null> {
    return isWalletId(id) ? this.#live().wallet(id) : null;
  }

  /** Returns a page of wallets in the order of their creation: those of an owner, those with tags, those with words, or all. */
  async wallets(search: verbs.WalletSearch = {}): Promise<verbs.Page<Wallet>> {
    checkNames(search, searchNames);
    const { owner, tags = [], match = 'all', words, after = 0, limit = defaultLimit } = search;
    if (match !== 'all' && match !== 'any') throw badArgument('match', 'all or any');
    const query = {
      owner: owner === undefined ? null : checkText('owner', owner, 1, ledgerLimits.maxOwnerLength),
      tags: checkTags(tags),
      match,
      after: checkAfter(after),
      limit: checkLimit(limit),
    };
    const fits = words === undefined ? null : wordSearch(checkText('words', words, 1, ledgerLimits.maxOwnerLength));
    const items = fits === null ? await this.#live().wallets(query) : await this.#matching(query, fits);
    return pageOf(items, limit, ({ createdSeq }) => createdSeq);
  }

  /** Reads wallets page by page until enough of them fit. */
  async #matching(query: WalletQuery, fits: (wallet: Wallet) => boolean): Promise<readonly Wallet[]> {
    const found: Wallet[] = [];
    for (let { after } = query; ; ) {
      const page = await this.#live().wallets({ ...query, after, limit: ledgerLimits.maxPage });
      found.push(...page.filter(fits));
      if (found.length >= query.limit || page.length < ledgerLimits.maxPage) return found.slice(0, query.limit);
      after = page.at(-1)?.createdSeq ?? after;
    }
  }

  /** Replaces the tags of a wallet. */
  async setTags(id: string, tags: readonly string[]): Promise<SetTagsAnswer> {
    const checked = checkTags(tags);
    return isWalletId(id) ? this.#live().setTags(id, checked) : { outcome: 'wallet_not_found', wallet: null };
  }

  /** Closes a wallet whose balance and reserved amount are 0. It cannot be opened again. */
  async closeWallet(id: string): Promise<CloseWalletAnswer> {
    if (isWalletId(id) && isSystemId(id)) throw badArgument('id', 'that of a wallet which is not of the system');
    return isWalletId(id) ? this.#live().closeWallet(id) : { outcome: 'wallet_not_found', wallet: null };
  }

  /** Moves money at once. */
  transfer(options: verbs.MoveOptions): Promise<TransferAnswer> {
    return this.#call({ ...options, kind: 'transfer' });
  }

  /** Reserves money of the source until the reservation is posted, voided or expired. */
  reserve(options: verbs.ReserveOptions): Promise<TransferAnswer> {
    return this.#call({ ...options, kind: 'reserve' });
  }

  /** Moves the reserved amount, or a part of it, and releases the rest. */
  post(options: verbs.PostOptions): Promise<TransferAnswer> {
    return this.#call({ ...options, kind: 'post' });
  }

  /** Releases the reserved amount. */
  void(options: verbs.VoidOptions): Promise<TransferAnswer> {
    return this.#call({ ...options, kind: 'void' });
  }

  /** Executes up to 1,000 calls in one step. With `linked`, all succeed or none does. Returns the answers in the same order. */
  async batch(
    calls: readonly verbs.TransferCall[],
    { linked = false }: { readonly linked?: boolean | undefined } = {},
  ): Promise<readonly TransferAnswer[]> {
    if (!Array.isArray(calls) || calls.length > ledgerLimits.maxBatch) {
      throw badArgument('calls', `an array of at most ${ledgerLimits.maxBatch}`);
    }
    const checked = calls.map((call) => checkCall(call, this.#context));
    const malformed = checked.some((request) => typeof request === 'string');
    if (linked && malformed) {
      return checked.map((request) => unrecorded(typeof request === 'string' ? request : 'linked_failed'));
    }
    const requests = checked.filter((request) => typeof request !== 'string');
    const answers = requests.length === 0 ? [] : await this.#live().execute(requests, { linked });
    const left = answers.values();
    return checked.map((request) => (typeof request === 'string' ? unrecorded(request) : answerOf(left.next().value)));
  }

  /**
   * For couplings: compares the coupling's marks, executes all calls and writes the marks, in one step; or changes nothing. The ids of
   * the calls are new, and begin with `~<coupling>.`, which no other call can.
   */
  async settle(
    coupling: string,
    calls: readonly verbs.TransferCall[],
    changes: readonly MarkChange[],
  ): Promise<verbs.Settled> {
    const context = { ...this.#context, coupling: checkCoupling(coupling) };
    const checked = calls.map((call) => checkCall(call, context));
    const malformed = checked.find((request) => typeof request === 'string');
    if (malformed !== undefined) return { outcome: malformed, transfers: [] };
    const requests = checked.filter((request) => typeof request !== 'string');
    const { outcome, stored } = await this.#live().settle(coupling, requests, changes);
    return { outcome, transfers: stored.map(transferOfStored) };
  }

  /** For couplings: returns the coupling's marks for some hashes, in their order; `null` where there is none. */
  async marks(coupling: string, hashes: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#live().marks(checkCoupling(coupling), hashes);
  }

  /** For couplings: returns some of the coupling's marks. Go on with `next` as the cursor; `''` begins. */
  async markPage(coupling: string, cursor: string): Promise<MarkPage> {
    return this.#live().markPage(checkCoupling(coupling), cursor, ledgerLimits.maxPage);
  }

  /** For couplings: returns the id of the wallet that pays what a payer cannot, and creates it at its first use. */
  async debtWallet(currency: string): Promise<string> {
    const checked = checkText('currency', currency, 1, ledgerLimits.maxCurrencyLength);
    const id = `~debt.${checked}`;
    await this.#live().createWallet(systemWallet(id, checked));
    return id;
  }

  async findTransfer(id: string): Promise<Transfer | null> {
    if (typeof id !== 'string' || id === '' || id.length > ledgerLimits.maxTransferIdLength) return null;
    const stored = await this.#live().transfer(id);
    return stored === null ? null : transferOfStored(stored);
  }

  /** Returns a page of the transfers from and to a wallet and of its reservations, in order, without refusals. */
  async transfers(search: verbs.TransferSearch): Promise<verbs.Page<Transfer>> {
    checkNames(search, transfersNames);
    const { wallet, after = 0, limit = defaultLimit } = search;
    const query = { wallet, after: checkAfter(after), limit: checkLimit(limit) };
    const stored = isWalletId(wallet) ? await this.#live().transfers(query) : [];
    return pageOf(stored.map(transferOfStored), limit, ({ seq }) => seq);
  }

  /** Expires at most 1,000 reservations whose time has come. Call it again while `more` is true. */
  async sweep(): Promise<SweepAnswer> {
    return this.#live().sweep(ledgerLimits.maxBatch);
  }

  /** If there is a retention, removes at most 1,000 of the oldest records. Call it again while `more` is true. */
  async trim(): Promise<SweepAnswer> {
    return this.#live().trim(ledgerLimits.maxBatch);
  }

  /**
   * Replays the records, and compares the digests, the wallets, the states of transfers and the histories of wallets with them. It reads
   * everything, and may run while others write.
   */
  async audit(): Promise<AuditReport> {
    return audit(this.#live());
  }

  /** Returns at most 1,000 records after `after`, in order; 0 starts at the oldest. */
  async records(after: number): Promise<readonly LedgerRecord[]> {
    const { records } = await this.#live().records(checkAfter(after), ledgerLimits.maxPage);
    return records.map(recordOfRaw);
  }

  /** Returns the `seq` of the newest record; 0 for a new ledger. Subscribe after it to receive only later records. */
  async head(): Promise<number> {
    const { head } = await this.#live().records(0, 1);
    return head;
  }

  /**
   * Returns a stream of every record after `after`, each once and in order, by default from the oldest kept. It waits for further
   * records until `signal` aborts or the ledger is closed.
   */
  subscribe(options: { readonly after?: number; readonly signal?: AbortSignal } = {}): AsyncIterable<LedgerEvent> {
    const { after = 0, signal } = checkNames(options, subscribeNames);
    const ended = this.#ended.signal;
    return follow(this.#live(), checkAfter(after), signal === undefined ? ended : AbortSignal.any([signal, ended]));
  }

  /** Closes the ledger: refuses further calls, ends streams, and waits for calls under way. Can be repeated. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#queue.idle();
    await this.#store.close();
  }

  async #call(call: verbs.TransferCall): Promise<TransferAnswer> {
    const request: TransferRequest | TransferOutcome = checkCall(call, this.#context);
    if (typeof request === 'string') return unrecorded(request);
    this.#live();
    return answerOf(await this.#queue.add(request));
  }

  #live(): LedgerStore {
    if (this.#ended.signal.aborted) throw new LedgerError('ERR_LEDGER_CLOSED', 'the ledger was closed');
    return this.#store;
  }
}

function checkCoupling(given: unknown): string {
  if (typeof given === 'string' && /^[\w-]{1,24}$/.test(given)) return given;
  throw badArgument('name', '1 to 24 of the characters A–Z a–z 0–9 _ -');
}

function checkAfter(given: unknown): number {
  return checkWhole('after', given, 0, Number.MAX_SAFE_INTEGER);
}

function checkLimit(given: unknown): number {
  return checkWhole('limit', given, 1, ledgerLimits.maxPage);
}

function pageOf<Item>(items: readonly Item[], limit: number, position: (item: Item) => number): verbs.Page<Item> {
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < limit ? null : position(last) };
}

function answerOf(answer: StoreAnswer | undefined): TransferAnswer {
  if (answer === undefined)
    throw new LedgerError('ERR_LEDGER_CORRUPT', 'the store gave fewer answers than it was asked for');
  const { outcome, stored, replayed } = answer;
  return { outcome, transfer: stored === null ? null : transferOfStored(stored), replayed };
}

function unrecorded(outcome: TransferOutcome): TransferAnswer {
  return { outcome, transfer: null, replayed: false };
}
