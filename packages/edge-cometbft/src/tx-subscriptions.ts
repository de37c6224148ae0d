import { setImmediate } from 'node:timers/promises';
import type { EventHub, Gate, Line, LiveReader, SentEvent } from 'mempool-server/edge';
import type { BlockTransactions } from './block-transactions.ts';
import { responseText } from './rpc-answer.ts';
import { refusedByPool } from './rpc-fault.ts';
import type { RpcMethod } from './rpc-methods.ts';
import { hashOfQuery } from './rpc-query.ts';
import { txEvent } from './tx-answers.ts';

interface Subscription {
  /** The id of the call: its events have it too. */
  readonly id: string | number;
  readonly query: string;
  /** The hash of the block that the client knows of; `null` for none. */
  block: string | null;
}

/** The parts that subscriptions need. */
export interface SubscriptionParts {
  readonly gate: Gate;
  readonly hub: EventHub;
  readonly blocks: BlockTransactions;
}

const maxSubscriptions = 1_000;

/**
 * The subscriptions of one WebSocket. Each waits for a block with one transaction, and tells of another block after a fork.
 * If a block has the transaction already, it tells so at once: a client that connects again misses nothing.
 */
export class TxSubscriptions implements LiveReader {
  readonly #parts: SubscriptionParts;
  readonly #line: Line;
  readonly #byHash = new Map<string, Subscription>();
  #leave: (() => void) | null = null;
  #isEnded = false;
  /** One look at a time. */
  #looks: Promise<void> = Promise.resolve();

  constructor(parts: SubscriptionParts, line: Line) {
    this.#parts = parts;
    this.#line = line;
  }

  /** The methods of the WebSocket alone. */
  get methods(): ReadonlyMap<string, RpcMethod> {
    const reads = { scope: 'read', writes: false } as const;
    return new Map<string, RpcMethod>([
      ['subscribe', { params: ['query'], ...reads, call: ({ query }, { id }) => this.#add(query, id) }],
      ['unsubscribe', { params: ['query'], ...reads, call: async ({ query }) => this.#remove(query) }],
      ['unsubscribe_all', { params: [], ...reads, call: async () => this.#clear() }],
    ]);
  }

  get count(): number {
    return this.#byHash.size;
  }

  take({ event }: SentEvent): void {
    if (event.kind === 'lagged') this.end();
    else if (event.kind === 'transaction' && event.point !== null && this.#byHash.has(event.hash))
      this.#look(event.hash);
  }

  /** The client has left, or events are lost: then it connects again. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clear();
    this.#leave?.();
    this.#line.leave('the events have ended');
  }

  /** @throws `RpcFault`; the pool's error */
  async #add(query: string, id: string | number): Promise<object> {
    const hash = hashOfQuery(query);
    await this.#parts.hub.start();
    if (this.#byHash.has(hash)) throw refusedByPool('already subscribed');
    if (this.count >= maxSubscriptions) throw refusedByPool(`max_subscriptions_per_client ${maxSubscriptions} reached`);
    this.#byHash.set(hash, { id, query, block: null });
    if (!this.#isEnded) this.#leave ??= this.#parts.hub.add(this);
    // The answer of the call goes out before.
    this.#looks = this.#looks.then(() => setImmediate());
    this.#look(hash);
    return {};
  }

  /** @throws `RpcFault` */
  #remove(query: string): object {
    if (!this.#byHash.delete(hashOfQuery(query))) throw refusedByPool('subscription not found');
    return {};
  }

  #clear(): object {
    this.#byHash.clear();
    return {};
  }

  #look(hash: string): void {
    const failed = (error: unknown): void => {
      this.#parts.gate.fault(error);
      this.end();
    };
    this.#looks = this.#looks.then(() => this.#tell(hash)).catch(failed);
  }

  async #tell(hash: string): Promise<void> {
    const subscription = this.#byHash.get(hash);
    if (subscription === undefined) return;
    const found = await this.#parts.blocks.find(hash);
    if (found === null || found.point.hash === subscription.block || this.#byHash.get(hash) !== subscription) return;
    subscription.block = found.point.hash;
    const { id, query } = subscription;
    this.#line.notify(responseText({ id, result: txEvent(query, found) }));
  }
}
