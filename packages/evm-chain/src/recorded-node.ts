import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DevChain } from './dev-chain.ts';

/** A block as a node answers it, with the logs of a contract. */
export interface RecordedBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly RecordedTransaction[];
  readonly logs: readonly object[];
}

interface RecordedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
}

/** The blocks of a development chain from a number on, with the logs of a contract. */
export async function recordBlocks(chain: DevChain, from: number, contract?: string): Promise<RecordedBlock[]> {
  const found: RecordedBlock[] = [];
  for (let number = from; ; number += 1) {
    const tag = `0x${number.toString(16)}`;
    const block = (await chain.call('eth_getBlockByNumber', tag, true)) as RecordedBlock | null;
    if (block === null) return found;
    const { hash, parentHash, timestamp } = block;
    const transactions = block.transactions.map((each) => ({ hash: each.hash, from: each.from, nonce: each.nonce }));
    const filter = { address: contract, fromBlock: tag, toBlock: tag };
    const logs = contract === undefined ? [] : ((await chain.call('eth_getLogs', filter)) as object[]);
    found.push({ number: tag, hash, parentHash, timestamp, transactions, logs });
  }
}

/** A node that answers from recorded blocks, for tests without a chain. It takes any transaction, and puts none into a block. */
export class RecordedNode implements AsyncDisposable {
  /** From block 0 on. */
  blocks: readonly RecordedBlock[] = [];
  /** Takes no transaction, if it is set: its message. */
  refusal: string | null = null;
  /** The bytes of each transaction that was sent, as hex, as often as it was. */
  readonly sent: string[] = [];
  /** The hashes of those that it has not forgotten. */
  readonly #pool = new Set<string>();
  readonly #server: Server;
  readonly #answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => '0x7a69',
    eth_getBlockByNumber: ([tag, isFull]) => this.#block(String(tag), isFull === true),
    eth_getLogs: ([filter]) => this.#logs(filter as LogFilter),
    eth_getTransactionCount: ([from]) => this.#nonce(String(from)),
    eth_getTransactionByHash: ([hash]) => this.#transaction(String(hash)),
    eth_sendRawTransaction: ([raw]) => this.#take(String(raw)),
  };
  readonly #hashOf: (raw: string) => string;

  /** @param hashOf the hash of a transaction's bytes, both hex with `0x` */
  constructor(hashOf: (raw: string) => string) {
    this.#hashOf = hashOf;
    this.#server = createServer(async (request, response) => {
      const { id, method, params } = (await json(request)) as { id: number; method: string; params: unknown[] };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...this.#answer(method, params) }));
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets the transactions that are in no block. */
  forget(): void {
    this.#pool.clear();
  }

  #answer(method: string, params: readonly unknown[]): object {
    const answer = this.#answers[method];
    if (answer === undefined) return { error: { code: -32_601, message: `nobody has recorded ${method}` } };
    const result = answer(params);
    const isRefused = method === 'eth_sendRawTransaction' && this.refusal !== null;
    return isRefused ? { error: { code: -32_000, message: this.refusal } } : { result };
  }

  #block(tag: string, isFull: boolean): unknown {
    const block = tag === 'latest' ? this.blocks.at(-1) : this.blocks[Number(tag)];
    if (block === undefined) return null;
    return isFull ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
  }

  #logs({ fromBlock, toBlock }: LogFilter): object[] {
    return this.blocks.slice(Number(fromBlock), Number(toBlock) + 1).flatMap(({ logs }) => logs);
  }

  #nonce(from: string): string {
    const used = this.blocks.flatMap(({ transactions }) => transactions).filter((each) => each.from === from);
    return `0x${used.length.toString(16)}`;
  }

  #transaction(hash: string): object | null {
    const mined = this.blocks.flatMap(({ transactions }) => transactions).find((each) => each.hash === hash);
    return mined ?? (this.#pool.has(hash) ? { hash } : null);
  }

  #take(raw: string): string {
    const hash = this.#hashOf(raw);
    this.sent.push(raw);
    if (this.refusal === null) this.#pool.add(hash);
    return hash;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
}
