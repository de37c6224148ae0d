import type { ChainPoint, PriorityMempool } from 'mempool-core';
import { getContractAddress, type Hex, numberToHex } from 'viem';
import type { AccountIndex } from './account-index.ts';
import { isQuantity } from './chain-reader.ts';
import { hashParam, type Params, textParam } from './params.ts';
import { typeNumbers } from './raw-transaction.ts';
import { noMethod, wrongParams } from './rpc-error.ts';
import { rpcTransaction } from './rpc-transaction.ts';
import type { Transactions } from './transactions.ts';
import type { ChainCalls } from './upstream.ts';

/** So many of the last blocks are found. */
const maxPoints = 1_000;
const noHash = `0x${'00'.repeat(32)}`;
const emptyBloom = `0x${'00'.repeat(256)}`;

/** A method, and its answer to the parameters. */
type Answers = Readonly<Record<string, (params: Params) => Promise<unknown>>>;

/**
 * Answers, without an upstream, the methods about blocks and receipts by which clients wait for a transaction. The number of a
 * block is its slot. What the pool does not know is `null` where clients accept that, else zero.
 */
export class PoolChain implements ChainCalls {
  readonly #pool: PriorityMempool;
  readonly #index: AccountIndex;
  readonly #transactions: Transactions;
  readonly #answers: Answers = {
    eth_blockNumber: async () => numberToHex((await this.#pool.tip()).point?.slot ?? 0),
    eth_getBlockByNumber: (params) => this.#block(placed(params), params[1] === true),
    eth_getBlockByHash: (params) => {
      const hash = hashParam(params, 0);
      return this.#block((point) => `0x${point.hash}` === hash, params[1] === true);
    },
    eth_getTransactionReceipt: (params) => this.#receipt(hashParam(params, 0)),
  };

  constructor(pool: PriorityMempool, index: AccountIndex, transactions: Transactions) {
    this.#pool = pool;
    this.#index = index;
    this.#transactions = transactions;
  }

  /** @throws `RpcError` −32601 for every other method; −32602; the pool's error */
  call(method: string, params: Params = []): Promise<unknown> {
    const answer = Object.hasOwn(this.#answers, method) ? this.#answers[method] : undefined;
    if (answer === undefined) throw noMethod(method);
    return answer(params);
  }

  /** Returns the newest block that `isMeant` accepts, with the pool's transactions in it that are not final. */
  async #block(isMeant: (point: ChainPoint) => boolean, isFull: boolean): Promise<object | null> {
    const { points } = await this.#pool.tip({ points: maxPoints });
    const place = points.findIndex(isMeant);
    const [point, parent] = points.slice(place);
    if (place < 0 || point === undefined) return null;
    await this.#index.upToDate();
    const hashes = this.#index.table.inBlock(point.hash);
    const transactions = isFull
      ? (await this.#transactions.signed(hashes)).map((signed) => rpcTransaction(signed, point))
      : hashes.map((hash) => `0x${hash}`);
    return {
      number: numberToHex(point.slot),
      hash: `0x${point.hash}`,
      parentHash: parent === undefined ? noHash : `0x${parent.hash}`,
      ...{ timestamp: '0x0', difficulty: '0x0', gasLimit: '0x0', gasUsed: '0x0', extraData: '0x' },
      ...{ miner: null, logsBloom: emptyBloom, transactions, uncles: [] },
    };
  }

  /** Without a status: the pool knows that a transaction is in a block, and not if it succeeded there. */
  async #receipt(hash: Hex): Promise<object | null> {
    const found = await this.#transactions.own(hash);
    if (found === null || found.place === null) return null;
    const { from, fields } = found.signed;
    return {
      transactionHash: hash,
      transactionIndex: '0x0',
      blockHash: `0x${found.place.hash}`,
      blockNumber: numberToHex(found.place.slot),
      from,
      to: fields.to?.toLowerCase() ?? null,
      contractAddress: fields.to ? null : getContractAddress({ from, nonce: BigInt(fields.nonce) }).toLowerCase(),
      type: numberToHex(typeNumbers[fields.type]),
      status: null,
      ...{ gasUsed: '0x0', cumulativeGasUsed: '0x0', effectiveGasPrice: '0x0', logs: [], logsBloom: emptyBloom },
    };
  }
}

/** Tells which block a number or `latest` means. @throws `RpcError` −32602 */
function placed(params: Params): (point: ChainPoint) => boolean {
  const block = textParam(params, 0);
  if (block === 'latest') return () => true;
  if (!isQuantity(block)) throw wrongParams('without an upstream only numbers of blocks and latest are known');
  return ({ slot }) => slot === Number(block);
}
