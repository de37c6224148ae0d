/** A node to try the relayer with. It takes transactions, refuses some, and makes blocks of those that it took. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Block } from 'mempool-core';

/** Decides about a transaction: an HTTP status. */
export type Judge = (hash: string) => number | Promise<number>;

export class StubNode {
  readonly blocks: Block[] = [];
  /** The hash of each transaction that was sent, as often as it was. */
  readonly sent: string[] = [];
  /** Runs when a block has been handed out. */
  onBlock: (block: Block) => void = () => undefined;
  readonly #judge: Judge;
  readonly #server: Server;
  readonly #taken = new Set<string>();
  #grown = Promise.withResolvers<void>();

  constructor(judge: Judge) {
    this.#judge = judge;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    });
  }

  async listen(port: number): Promise<string> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Adds a block of all that was taken and is in no block yet. */
  mine(): Block {
    const last = this.blocks.at(-1)?.point;
    const slot = (last?.slot ?? 0) + 1;
    const block = { point: { slot, hash: digest(`block ${slot}`) }, seen: [...this.#taken] };
    this.#taken.clear();
    this.blocks.push(last === undefined ? block : { ...block, parent: last.hash });
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
    return block;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://node');
    if (pathname === '/transactions') return this.#take(digest(await buffer(request)), response);
    const block = await this.#blockAfter(Number(searchParams.get('after')));
    response.end(JSON.stringify(block));
    this.onBlock(block);
  }

  async #take(hash: string, response: ServerResponse): Promise<void> {
    this.sent.push(hash);
    const status = await this.#judge(hash);
    const isNew = this.blocks.every(({ seen }) => !seen.includes(hash));
    if (status < 300 && isNew) this.#taken.add(hash);
    response.writeHead(status).end();
  }

  async #blockAfter(slot: number): Promise<Block> {
    for (;;) {
      const block = this.blocks.find(({ point }) => point.slot > slot);
      if (block !== undefined) return block;
      await this.#grown.promise;
    }
  }
}

export function digest(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

if (import.meta.main) {
  let count = 0;
  const node = new StubNode(() => (++count % 3 === 0 ? 202 : 503));
  setInterval(() => console.log(`block ${node.mine().point.slot}`), 2_000);
  console.log(await node.listen(4_000));
}
