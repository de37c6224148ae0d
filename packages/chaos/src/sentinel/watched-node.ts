import { type ChainSource, type MempoolEvent, type MempoolOf, Watcher, type WatcherPool } from 'mempool-core';
import { createElection, type Election } from 'mempool-election';
import { type RedisOptions, redis, redisElection } from 'mempool-redis';
import { numberOfTransaction } from '../node/block.ts';
import type { Moments, Reading } from './moments.ts';

export interface WatchedOptions {
  readonly id: string;
  readonly pool: string;
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly endpoint: RedisOptions;
  readonly source: ChainSource;
  readonly moments: Moments;
}

type Store = MempoolOf<'fifo'>;

/** A node behind Sentinels: its pool, its part in the election, its watcher, and a reader of the events. */
export class WatchedNode implements AsyncDisposable {
  readonly id: string;
  readonly store: Store;
  readonly #election: Election;
  readonly #watcher: Watcher;
  readonly #reading: Promise<void>;

  static async open(options: WatchedOptions): Promise<WatchedNode> {
    const { endpoint, pool, timeoutMs } = options;
    const store = await redis.open({ ...endpoint, pool, timeoutMs, maxEvents: 1_000_000, maxFinalized: 1_000_000 });
    return new WatchedNode(options, store, await store.subscribe());
  }

  private constructor(options: WatchedOptions, store: Store, events: AsyncIterable<MempoolEvent>) {
    const { id, pool, ttlMs, endpoint, source, moments } = options;
    this.id = id;
    this.store = store;
    this.#election = createElection(redisElection, { ...endpoint, pool, nodeId: id, ttlMs });
    this.#watcher = new Watcher({ election: this.#election, pool: recorded(store, id, moments), source });
    this.#reading = read(events, moments.readings.get(id) ?? []);
  }

  async start(): Promise<void> {
    await this.#watcher.start();
    await this.#election.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher.stop();
    await this.#election.stop();
    await this.store.close();
    await this.#reading;
  }
}

/** The pool of a watcher. Blocks that it applies are written down. */
function recorded(store: Store, node: string, { applied }: Moments): WatcherPool {
  return {
    tip: (...given) => store.tip(...given),
    rollback: (...given) => store.rollback(...given),
    confirm: async (block, policy, options) => {
      const outcome = await store.confirm(block, policy, options);
      const term = options?.lease?.term ?? 0;
      if (outcome.kind === 'applied') applied.push({ node, term, point: block.point, at: performance.now() });
      return outcome;
    },
  };
}

async function read(events: AsyncIterable<MempoolEvent>, readings: Reading[]): Promise<void> {
  for await (const event of events) {
    const at = performance.now();
    if (event.kind === 'lagged') readings.push({ what: 'lagged', at });
    else if (event.kind === 'transaction' && event.stage === 'Pending')
      readings.push({ what: numberOfTransaction(event.hash), at });
  }
}
