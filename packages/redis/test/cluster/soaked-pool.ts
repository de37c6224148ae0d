import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChainPoint, isMempoolError, type Mempool, type MempoolEvent } from 'mempool-core';
import { createElection, type Election, type LeaderWork, type Lease } from 'mempool-election';
import { type RedisOptions, redis, redisElection } from 'mempool-redis';
import { point, transaction } from '../chain.ts';

const senders = 2;
const pauseMs = 5;
const blockMs = 100;
const perBlock = 50;
const settleMs = 30_000;

/** What is wrong with a pool after all faults, in words; and what was lost with dead masters. */
export interface Judgement {
  readonly faults: readonly string[];
  readonly answered: number;
  readonly blocks: number;
  readonly lost: number;
  readonly lagged: number;
  readonly slowestMs: number;
}

/** A pool with two nodes: both send transactions and take part in the election, and the leader applies blocks. */
export class SoakedPool implements AsyncDisposable {
  readonly name: string = randomUUID();
  /** True if a master of this pool died: then what it had not replicated may be lost. */
  mayLose = false;
  readonly #options: RedisOptions & { readonly pool: string };
  readonly #stores: Mempool[] = [];
  readonly #elections: Election[] = [];
  readonly #faults: string[] = [];
  readonly #answered: string[] = [];
  /** The transactions whose events the reader had. */
  readonly #read = new Set<string>();
  #sent = 0;
  #blocks = 0;
  #lagged = 0;
  #slowestMs = 0;
  readonly #stop = new AbortController();
  #work: Promise<unknown> = Promise.resolve();

  /** `minReplicas`: as the option of `redis.open`. */
  constructor(cluster: readonly string[], minReplicas: number) {
    this.#options = { pool: this.name, cluster, minReplicas };
  }

  /** Opens the pool and the elections. */
  async start(): Promise<void> {
    for (const nodeId of ['a', 'b']) {
      this.#stores.push(await redis.open({ ...this.#options, fenced: true, timeoutMs: 30_000 }));
      this.#elections.push(createElection(redisElection, { ...this.#options, nodeId, ttlMs: 3_000 }));
    }
    await Promise.all(this.#elections.map((election) => election.start()));
  }

  /** Begins all work. */
  async work(): Promise<void> {
    const stream = await this.#store(1).subscribe();
    void this.#watch(stream);
    const sending = this.#stores.flatMap((store) => Array.from({ length: senders }, () => this.#send(store)));
    const applying = this.#elections.map((election, i) => this.#apply(election, this.#store(i)));
    this.#work = Promise.all([...sending, ...applying]);
  }

  /** Ends all work, and compares what was answered with what the pool has. */
  async judge(): Promise<Judgement> {
    this.#stop.abort();
    await this.#work;
    const store = this.#store(0);
    await this.#settle(store);
    const lostHashes = await this.#lost(store);
    const lost = lostHashes.length;
    const read = lostHashes.filter((hash) => this.#read.has(hash)).length;
    if (lost > 0 && !this.mayLose) this.#faults.push(`${lost} answered transactions are lost, and no master died`);
    // Of what no reader had when the master died, nobody can be told.
    if (read > 0 && this.#lagged === 0)
      this.#faults.push(`${lost} answered transactions are lost, ${read} of them a reader had, and nobody was told`);
    if (this.#lagged > 0 && !this.mayLose) this.#faults.push('a reader missed events, and no master died');
    await this.#judgeHistory(store);
    return {
      faults: this.#faults,
      answered: this.#answered.length,
      blocks: this.#blocks,
      lost,
      lagged: this.#lagged,
      slowestMs: this.#slowestMs,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    await Promise.all(this.#elections.map((election) => election.stop()));
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  #store(node: number): Mempool {
    return this.#stores[node] as Mempool;
  }

  async #watch(stream: AsyncIterable<MempoolEvent>): Promise<void> {
    for await (const event of stream) {
      if (event.kind === 'lagged') this.#lagged += 1;
      if (event.kind === 'transaction') this.#read.add(event.hash);
    }
  }

  async #send(store: Mempool): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#sent += 1;
      const { hash, ...rest } = transaction(this.#sent, 200);
      const began = performance.now();
      try {
        const [outcome] = await store.receive([{ hash, ...rest }]);
        // A hash is sent once: another answer means that the call was carried out twice.
        if (outcome?.kind === 'received') this.#answered.push(hash);
        else this.#faults.push(`a call was answered ${JSON.stringify(outcome)}`);
      } catch (error) {
        this.#faults.push(`a call failed: ${String(error)}`);
      }
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began);
      await pause(pauseMs);
    }
  }

  /** While this node leads, sends what is Pending and applies the next block with it. */
  async #apply(election: Election, store: Mempool): Promise<void> {
    const { signal } = this.#stop;
    const lead: LeaderWork<void> = async (lost, _term, { lease }) => {
      while (!lost.aborted && !signal.aborted) {
        await pause(blockMs);
        await this.#applyNext(store, lease);
      }
    };
    await election.runAsLeader(lead, { signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#faults.push(`the leader failed: ${String(error)}`);
    });
  }

  async #applyNext(store: Mempool, lease: Lease): Promise<void> {
    try {
      const { transactions } = await store.peekPending({ limit: perBlock });
      const seen = await store.markInflight(transactions.map(({ hash }) => hash));
      const { tick } = await store.tip();
      const { kind } = await store.confirm({ point: point(tick + 1), seen, unseen: [] }, {}, { lease });
      if (kind === 'applied') this.#blocks += 1;
    } catch (error) {
      // It may have been applied all the same: the next turn reads the tip.
      if (isMempoolError(error) && !error.retryable) this.#faults.push(`a block failed: ${String(error)}`);
    }
  }

  /** Waits until the reader has what there is, and so has been told of every loss. */
  async #settle(store: Mempool): Promise<void> {
    this.#sent += 1;
    const last = transaction(this.#sent, 200);
    await store.receive([last]);
    for (const deadline = performance.now() + settleMs; !this.#read.has(last.hash); await pause(pauseMs))
      if (performance.now() > deadline) return void this.#faults.push('a reader stands still');
  }

  /** The answered transactions that the pool does not know. */
  async #lost(store: Mempool): Promise<string[]> {
    const lost: string[] = [];
    for (let from = 0; from < this.#answered.length; from += 1_000) {
      const found = await store.status(this.#answered.slice(from, from + 1_000));
      for (const { hash, stage } of found) if (stage === 'Unknown') lost.push(hash);
    }
    return lost;
  }

  /** On the surviving line each transaction is received once and confirmed once, each block applied once, and terms do not fall. */
  async #judgeHistory(store: Mempool): Promise<void> {
    const { cursors } = await store.usage();
    const stages = new Set<string>();
    const points: ChainPoint[] = [];
    let term = 0;
    for await (const event of await store.subscribe({ after: 'origin' })) {
      if (event.kind === 'block') {
        if ((event.term ?? 0) < term) this.#faults.push(`a block of term ${event.term} after one of term ${term}`);
        term = event.term ?? 0;
        points.push(event.point);
      } else if (event.kind === 'transaction') {
        const change = `${event.hash} ${event.stage}`;
        if (stages.has(change)) this.#faults.push(`twice: ${change}`);
        stages.add(change);
      }
      if (event.cursor === cursors.events) break;
    }
    if (points.some(({ hash }, i) => hash !== point(i + 1).hash)) this.#faults.push('blocks are missing or doubled');
  }
}
