import { setImmediate } from 'node:timers/promises';
import type { PriorityMempool, StoredTransaction } from 'mempool-core';
import { parked } from 'mempool-server/edge';
import { type Address, checksumAddress, type Hex, numberToHex } from 'viem';
import type { AccountIndex } from './account-index.ts';
import type { AccountState } from './account-state.ts';
import type { AccountEntry } from './account-table.ts';
import type { SignedTransaction } from './raw-transaction.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import type { Transactions } from './transactions.ts';

/** The parts that the methods `txpool_…` need. */
export interface TxpoolParts {
  readonly pool: PriorityMempool;
  readonly index: AccountIndex;
  readonly state: AccountState;
  readonly transactions: Transactions;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** By sender and nonce. */
type Listed<T> = Record<string, Record<string, T>>;

/** More than this is in no answer. */
const maxListed = 10_000;
const maxListedBytes = 16 * 1024 * 1024;
/** So many are read before others get their turn. */
const slice = 8;

/** geth's view of the pool. `pending` are the transactions that are ready or were sent, `queued` those that are parked. */
export class Txpool {
  readonly #parts: TxpoolParts;

  constructor(parts: TxpoolParts) {
    this.#parts = parts;
  }

  async status(): Promise<{ readonly pending: Hex; readonly queued: Hex }> {
    const { pending, propagated, acknowledged, load } = await this.#parts.pool.usage();
    const queued = load?.parked ?? 0;
    return { pending: numberToHex(pending - queued + propagated + acknowledged), queued: numberToHex(queued) };
  }

  /** Returns all transactions, each converted by `form`. @throws `RpcError` −32005 if they are too many for one answer */
  async content<T>(form: (signed: SignedTransaction) => T): Promise<{ pending: Listed<T>; queued: Listed<T> }> {
    const { pool, index, signal } = this.#parts;
    const { load } = await pool.usage();
    if ((load?.transactions ?? 0) > maxListed || (load?.bytes ?? 0) > maxListedBytes)
      throw new RpcError(
        rpcCodes.limit,
        `the pool has ${load?.transactions} transactions, more than one answer may have: ask txpool_contentFrom`,
      );
    await index.upToDate();
    return {
      pending: await this.#listed([pool.pending({ signal }), pool.inflight({ signal })], form),
      queued: await this.#listed([parked(pool, signal)], form),
    };
  }

  async #listed<T>(
    sources: readonly AsyncIterable<StoredTransaction>[],
    form: (signed: SignedTransaction) => T,
  ): Promise<Listed<T>> {
    const listed: Listed<T> = {};
    let count = 0;
    for (const source of sources) {
      for await (const found of source) {
        count += 1;
        if (count % slice === 0) await setImmediate();
        const signed = found.stage === 'Confirmed' ? null : await this.#parts.index.read(found);
        if (signed === null) continue;
        const sender = checksumAddress(signed.from);
        const ofSender = listed[sender] ?? {};
        ofSender[String(signed.fields.nonce)] = form(signed);
        listed[sender] = ofSender;
      }
    }
    return listed;
  }

  /** Returns the transactions of one account. */
  async contentFrom<T>(
    from: Address,
    form: (signed: SignedTransaction) => T,
  ): Promise<{ readonly pending: Record<string, T>; readonly queued: Record<string, T> }> {
    const { index, state, transactions } = this.#parts;
    const [chainNonce] = await Promise.all([state.nonceOf(from), index.upToDate()]);
    const entries = index.table.of(from);
    const ready = readyAmong(entries, chainNonce);
    const pending: Record<string, T> = {};
    const queued: Record<string, T> = {};
    const live = entries.filter(({ stage }) => stage !== 'Confirmed').map(({ hash }) => hash);
    for (const signed of await transactions.signed(live)) {
      const list = ready.has(signed.hash.slice(2)) ? pending : queued;
      list[String(signed.fields.nonce)] = form(signed);
    }
    return { pending, queued };
  }
}

/** The hashes that no nonce is missing before. They are in the order of their nonces. */
function readyAmong(entries: readonly AccountEntry[], chainNonce: number): ReadonlySet<string> {
  const ready = new Set<string>();
  let reached = chainNonce;
  for (const { hash, nonce, stage } of entries) {
    if (nonce > reached && stage === 'Pending') continue;
    ready.add(hash);
    reached = Math.max(reached, nonce + 1);
  }
  return ready;
}
