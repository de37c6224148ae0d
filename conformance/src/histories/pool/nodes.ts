import { type Capabilities, limitNames, type MempoolEvent, type OpenOptions } from 'mempool-core';
import { asTested, type OpenedPool, type TestedPool } from '../../case/tested-pool.ts';

/** Opens a pool by its number. The same number again is another node on it, or the pool again after it was closed. */
export type OpenPool = (options: OpenOptions, pool: number) => Promise<OpenedPool>;

/** A shared pool has so many nodes. */
const sharedNodes = 3;

/**
 * The nodes of one pool, of which one makes the next calls. A pool that is not shared has one node. Only the first open names
 * limits and sizes: a later open must find them.
 */
export class PoolNodes implements AsyncDisposable {
  readonly #open: (options: OpenOptions) => Promise<TestedPool>;
  readonly #later: OpenOptions;
  readonly #capabilities: Pick<Capabilities, 'durable' | 'shared'>;
  readonly #nodes: (TestedPool | undefined)[];
  #at = 0;
  #reader: { readonly node: TestedPool; readonly events: AsyncIterator<MempoolEvent, undefined> } | null = null;
  #cursor = '';

  private constructor(
    first: TestedPool,
    open: (options: OpenOptions) => Promise<TestedPool>,
    later: OpenOptions,
    capabilities: Pick<Capabilities, 'durable' | 'shared'>,
  ) {
    this.#nodes = [first];
    this.#open = open;
    this.#later = later;
    this.#capabilities = capabilities;
  }

  static async open(openPool: OpenPool, pool: number, options: OpenOptions): Promise<PoolNodes> {
    const open = async (given: OpenOptions): Promise<TestedPool> => asTested(await openPool(given, pool));
    const first = await open(options);
    const kept: readonly string[] = [...limitNames, 'maxFinalized', 'maxRollback'];
    const later = Object.fromEntries(Object.entries(options).filter(([name]) => !kept.includes(name)));
    const nodes = new PoolNodes(first, open, later, first.capabilities);
    nodes.#cursor = (await first.usage()).cursors.events;
    return nodes;
  }

  /** The node that makes the next call. */
  get current(): TestedPool {
    return this.#nodes[this.#at] as TestedPool;
  }

  /** Lets another node make the next calls. */
  async use(node: number): Promise<void> {
    if (!this.#capabilities.shared) return;
    this.#at = node % sharedNodes;
    this.#nodes[this.#at] ??= await this.#open(this.#later);
  }

  /** Closes the node, and opens it again. The last node of a pool that is not durable stays. */
  async reopen(): Promise<void> {
    const isKept = this.#capabilities.durable || this.#nodes.filter((node) => node !== undefined).length > 1;
    if (!isKept) return;
    await this.current.close();
    this.#nodes[this.#at] = await this.#open(this.#later);
  }

  /** The next events of the pool, read by the current node. */
  async events(count: number, signal: AbortSignal | undefined): Promise<MempoolEvent[]> {
    const told: MempoolEvent[] = [];
    while (told.length < count) {
      const { value } = await (await this.#events(signal)).next();
      if (value === undefined) break;
      told.push(value);
      this.#cursor = value.cursor;
    }
    return told;
  }

  async #events(signal: AbortSignal | undefined): Promise<AsyncIterator<MempoolEvent, undefined>> {
    const node = this.current;
    if (this.#reader?.node !== node) {
      await this.#reader?.events.return?.();
      const stream = await node.subscribe({ after: this.#cursor, signal });
      this.#reader = { node, events: stream[Symbol.asyncIterator]() };
    }
    return this.#reader.events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node?.close();
  }
}
