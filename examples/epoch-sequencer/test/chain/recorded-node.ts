import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Deployed } from '../../src/chain/contract.ts';

/** A block as a node answers it, with the contract's logs. */
export interface RecordedBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly nonce: string }[];
  readonly logs: readonly object[];
}

/** What `record.ts` has written. */
export interface Recorded {
  readonly contract: Omit<Deployed, 'url'>;
  /** From block 0. */
  readonly main: readonly RecordedBlock[];
  /** What took the place of the blocks from 5 on. */
  readonly fork: readonly RecordedBlock[];
}

export const recorded: Recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8'));

/** The blocks of the main branch up to this number, or of the other one. */
export function chainTo(number: number, branch: 'main' | 'fork'): readonly RecordedBlock[] {
  const before = branch === 'main' ? recorded.main : [...recorded.main.slice(0, 5), ...recorded.fork];
  return before.slice(0, number + 1);
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
}

/** A node that answers from recorded blocks. */
export class RecordedNode implements AsyncDisposable {
  blocks: readonly RecordedBlock[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { id, method, params } = (await json(request)) as { id: number; method: string; params: unknown[] };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: this.#answer(method, params) }));
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_getLogs') return this.#logs(params[0] as LogFilter);
    if (method !== 'eth_getBlockByNumber') throw new Error(`nobody has recorded ${method}`);
    const [tag, isFull] = params as [string, boolean];
    const block = tag === 'latest' ? this.blocks.at(-1) : this.blocks[Number(tag)];
    if (block === undefined) return null;
    return isFull ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
  }

  #logs({ fromBlock, toBlock }: LogFilter): object[] {
    return this.blocks.slice(Number(fromBlock), Number(toBlock) + 1).flatMap(({ logs }) => logs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
