import type { ChainPoint, PriorityMempool } from 'mempool-core';
import type { Hex } from 'viem';
import type { AccountIndex } from './account-index.ts';
import type { FinalTransactions } from './final-transactions.ts';
import type { SignedTransaction } from './raw-transaction.ts';
import { type RpcTransaction, rpcTransaction } from './rpc-transaction.ts';
import type { Upstream } from './upstream.ts';

/** X1: one call takes no more. */
const maxCallHashes = 1_000;

/** A transaction of the pool, and the block that it is in; `null` for none. */
interface PlacedTransaction {
  readonly signed: SignedTransaction;
  readonly place: ChainPoint | null;
}

/** Reads transactions for `eth_getTransactionByHash` and similar methods. */
export class Transactions {
  readonly #pool: PriorityMempool;
  readonly #index: AccountIndex;
  readonly #final: FinalTransactions;
  readonly #upstream: Upstream | null;

  constructor(pool: PriorityMempool, index: AccountIndex, final: FinalTransactions, upstream: Upstream | null) {
    this.#pool = pool;
    this.#index = index;
    this.#final = final;
    this.#upstream = upstream;
  }

  /** Returns the live transactions among these hashes, from the pool. */
  async signed(hashes: readonly string[]): Promise<SignedTransaction[]> {
    const all: SignedTransaction[] = [];
    for (let i = 0; i < hashes.length; i += maxCallHashes)
      for (const found of await this.#pool.payloads(hashes.slice(i, i + maxCallHashes))) {
        const signed = found === null ? null : await this.#index.read(found);
        if (signed !== null) all.push(signed);
      }
    return all;
  }

  /**
   * Returns the upstream's transaction if it is in a block, else the pool's, else the upstream's answer. So a transaction is
   * always found after its submission, even if pool and upstream see its block at different times.
   * @throws `RpcError` of the upstream, if the pool does not have the transaction
   */
  async byHash(hash: Hex): Promise<RpcTransaction | null> {
    const own = this.own(hash).then((found) => found && rpcTransaction(found.signed, found.place));
    // Awaited below: until then a failure must not be an unhandled one.
    own.catch(() => undefined);
    if (this.#upstream === null) return own;
    try {
      const known = await this.#upstream.call('eth_getTransactionByHash', [hash]);
      return isInBlock(known) ? known : ((await own) ?? (known as RpcTransaction | null));
    } catch (error) {
      const mine = await own;
      if (mine !== null) return mine;
      throw error;
    }
  }

  /** Returns a transaction that is in the pool or was Finalized by it. @throws the pool's error */
  async own(hash: Hex): Promise<PlacedTransaction | null> {
    const name = hash.slice(2);
    const [{ stage, confirmedAt }, [live]] = await Promise.all([this.#pool.status(name), this.signed([name])]);
    if (live !== undefined) return { signed: live, place: confirmedAt };
    const found = stage === 'Finalized' ? await this.#final.get(name) : null;
    const signed = found && (await this.#index.read(found));
    return signed && { signed, place: confirmedAt };
  }
}

function isInBlock(known: unknown): known is RpcTransaction {
  return typeof known === 'object' && known !== null && 'blockNumber' in known && known.blockNumber !== null;
}
