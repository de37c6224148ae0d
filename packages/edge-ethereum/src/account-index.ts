import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import {
  type Delivered,
  isMempoolError,
  type Logger,
  type MempoolEvent,
  type PriorityMempool,
  type StoredTransaction,
  type Transaction,
  type TransactionEvent,
} from 'mempool-core';
import { parked } from 'mempool-server/edge';
import type { Address } from 'viem';
import { AccountTable } from './account-table.ts';
import { batched } from './batched.ts';
import { claimedIn } from './claimed-accounts.ts';
import { parseRaw, type SignedTransaction, signedBy } from './raw-transaction.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';

/** A place in the pool's events. */
interface Place {
  readonly epoch: string;
  readonly lastEventSeq: number;
}

interface Reader {
  readonly place: Place;
  readonly resolve: () => void;
}

/** So many events are worked on at once. */
const maxBatch = 256;
const retryMs = 500;
/** A question that has to wait longer is refused. */
const patienceMs = 10_000;
/** So many senders of transactions that have left the pool are remembered. */
const maxRemembered = 10_000;

/**
 * An index of the pool's transactions by sender and nonce, which the pool itself does not have. It reads the pool once and
 * then follows its events, including those of other nodes.
 */
export class AccountIndex {
  readonly #pool: PriorityMempool;
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  #table = new AccountTable();
  /** Senders of transactions that are not in the index yet: to find one out takes two milliseconds. */
  readonly #senders = new Map<string, Address>();
  #reached: Place | null = null;
  #readers: Reader[] = [];

  /** @param signal ends it */
  constructor(pool: PriorityMempool, log: Logger, signal: AbortSignal) {
    this.#pool = pool;
    this.#log = log;
    this.#signal = signal;
    void this.#run();
  }

  /** Resolves when the index includes all commits of any node before this call. @throws `RpcError` −32002 */
  async upToDate(): Promise<void> {
    const { epoch, lastEventSeq } = await this.#pool.usage();
    const place = { epoch, lastEventSeq };
    if (this.#has(place)) return;
    const timeout = AbortSignal.any([AbortSignal.timeout(patienceMs), this.#signal]);
    await new Promise<void>((resolve, reject) => {
      const reader = { place, resolve };
      this.#readers.push(reader);
      timeout.addEventListener('abort', () => {
        this.#readers = this.#readers.filter((each) => each !== reader);
        reject(new RpcError(rpcCodes.unavailable, 'the transactions of the pool are being read: try again'));
      });
    });
  }

  /** The transactions that the index has read. */
  get table(): AccountTable {
    return this.#table;
  }

  /** Stores the signer of a transaction that is about to be submitted. */
  remember({ hash, from }: SignedTransaction): void {
    this.#senders.set(hash.slice(2), from);
    const [oldest] = this.#senders.size > maxRemembered ? this.#senders.keys() : [];
    if (oldest !== undefined) this.#senders.delete(oldest);
  }

  /** Reads a transaction of the pool and its signer. Returns `null` if the bytes are not an Ethereum transaction of this hash. */
  async read({ hash, payload }: Pick<Transaction, 'hash' | 'payload'>): Promise<SignedTransaction | null> {
    try {
      const raw = parseRaw(payload);
      if (raw.hash !== `0x${hash}`) return null;
      const entry = this.#table.get(hash);
      const from = entry?.isProven === true ? entry.from : this.#senders.get(hash);
      if (from !== undefined) return { ...raw, from };
      const signed = await signedBy(raw);
      this.#table.prove(hash, signed.from);
      return signed;
    } catch {
      return null;
    }
  }

  async #run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#log('warn', 'the transactions of the pool cannot be followed', { error: String(error) });
      }
      await sleep(retryMs, null, { signal: this.#signal }).catch(() => undefined);
    }
  }

  /** Reads the whole pool, then its events, until some are lost. */
  async #follow(): Promise<void> {
    const { epoch, lastEventSeq, cursors } = await this.#pool.usage();
    const events = await this.#pool.subscribe({ after: cursors.events, signal: this.#signal });
    await this.#readPool();
    this.#advance({ epoch, lastEventSeq });
    for await (const batch of batched(events, maxBatch)) {
      const last = batch.at(-1);
      if (last === undefined || !(await this.#apply(batch))) return;
      if (last.kind !== 'lagged') this.#advance({ epoch, lastEventSeq: last.eventSeq });
    }
  }

  async #readPool(): Promise<void> {
    const before = this.#table;
    this.#reached = null;
    for (const { hash, from, isProven } of before.all()) if (isProven) this.#senders.set(hash, from);
    const claimed = await this.#claimed();
    this.#table = claimed ?? new AccountTable();
    if (claimed === null) await this.#readPages();
    for (const { hash } of before.all()) this.#senders.delete(hash);
  }

  /**
   * Returns the accounts and nonces of the verdicts in an export: to recover a signer takes two milliseconds. Returns `null` if
   * the pool is damaged.
   */
  async #claimed(): Promise<AccountTable | null> {
    try {
      return await claimedIn(this.#pool.export({ signal: this.#signal }), this.#senders);
    } catch (error) {
      if (this.#signal.aborted || !isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      return null;
    }
  }

  async #readPages(): Promise<void> {
    const options = { signal: this.#signal };
    for await (const found of this.#pool.finalized(options))
      if (found.stage === 'Finalized') await this.#addFinal(found);
    for await (const found of this.#pool.pending(options)) await this.#add(found);
    for await (const found of parked(this.#pool, this.#signal)) await this.#add(found);
    for await (const found of this.#pool.inflight(options)) await this.#add(found);
  }

  async #addFinal(found: Transaction): Promise<void> {
    const signed = await this.#readSlowly(found);
    if (signed !== null) this.#table.finalized(signed.from, signed.fields.nonce);
  }

  async #add(found: StoredTransaction): Promise<void> {
    const signed = await this.#readSlowly(found);
    if (signed === null) return;
    const { hash, stage, confirmedAt } = found;
    const { from, fields } = signed;
    this.#table.put({ hash, from, nonce: fields.nonce, stage, block: confirmedAt?.hash ?? null, isProven: true });
  }

  /** To find out many senders takes long, so that others get their turn in between. */
  async #readSlowly(found: Transaction): Promise<SignedTransaction | null> {
    if (!this.#senders.has(found.hash)) await setImmediate(null, { signal: this.#signal });
    return this.read(found);
  }

  /** Applies events in their order. Returns false if some were lost. */
  async #apply(batch: readonly MempoolEvent[]): Promise<boolean> {
    const unknown = batch.flatMap((event) =>
      isArrival(event) && this.#table.get(event.hash) === undefined ? [event.hash] : [],
    );
    const arrived = new Map<string, SignedTransaction>();
    for (const found of unknown.length === 0 ? [] : await this.#pool.payloads([...new Set(unknown)])) {
      const signed = found === null ? null : await this.#readSlowly(found);
      if (signed !== null) arrived.set(signed.hash.slice(2), signed);
    }
    for (const event of batch) {
      if (event.kind === 'lagged') return false;
      if (event.kind !== 'transaction') continue;
      this.#table.apply(event, arrived.get(event.hash));
      this.#senders.delete(event.hash);
    }
    return true;
  }

  #has({ epoch, lastEventSeq }: Place): boolean {
    return this.#reached?.epoch === epoch && this.#reached.lastEventSeq >= lastEventSeq;
  }

  #advance(place: Place): void {
    this.#reached = place;
    const ready = this.#readers.filter((reader) => this.#has(reader.place));
    if (ready.length === 0) return;
    this.#readers = this.#readers.filter((reader) => !ready.includes(reader));
    for (const { resolve } of ready) resolve();
  }
}

/** True if the pool has a transaction that it did not have before. */
function isArrival(event: MempoolEvent): event is TransactionEvent & Delivered {
  return event.kind === 'transaction' && event.stage !== 'Dropped' && event.stage !== 'Finalized';
}
