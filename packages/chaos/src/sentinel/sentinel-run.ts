import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError } from 'mempool-core';
import type { RedisOptions } from 'mempool-redis';
import type { GroupNode, SentinelGroup } from 'mempool-testkit';
import { chainBlock, transaction } from '../node/block.ts';
import { FedChain } from '../node/fed-chain.ts';
import type { FaultKind, FaultTimes, Moments } from './moments.ts';
import { WatchedNode } from './watched-node.ts';

export interface RunOptions {
  readonly group: SentinelGroup;
  readonly pool: string;
  /** Whether calls wait for replicas, and for how many. */
  readonly minReplicas: number;
  readonly nodes: number;
  readonly ttlMs: number;
  /** How many calls each node has on their way. */
  readonly callers: number;
  /** How long a caller waits between two calls. */
  readonly callEveryMs: number;
  readonly blockEveryMs: number;
}

const timeoutMs = 15_000;
const mostInBlock = 50;

/** Nodes behind Sentinels under load, and the faults that they go through. */
export class SentinelRun implements AsyncDisposable {
  readonly moments: Moments;
  readonly chain: FedChain = new FedChain();
  readonly endpoint: RedisOptions;
  readonly #options: RunOptions;
  readonly #nodes: WatchedNode[] = [];
  readonly #ready: number[] = [];
  #load: Promise<unknown> = Promise.resolve();
  #calls = 0;
  #isLoaded = true;

  static async start(options: RunOptions): Promise<SentinelRun> {
    const run = new SentinelRun(options);
    await run.#start();
    return run;
  }

  private constructor(options: RunOptions) {
    this.#options = options;
    const { group, minReplicas, nodes } = options;
    this.endpoint = { ...group.endpoint, minReplicas };
    const ids = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`);
    this.moments = { answered: [], applied: [], readings: new Map(ids.map((id) => [id, []])), faults: [] };
  }

  /** One fault to the master. Resolves when the group is whole again. */
  async fault(kind: FaultKind): Promise<FaultTimes> {
    const { group, minReplicas } = this.#options;
    const before = await group.master();
    const at = performance.now();
    await strike(kind, group, before);
    await group.successorOf(before);
    const switchedAt = performance.now();
    // If writes wait for all replicas, none is answered before the old master is one.
    if (minReplicas < group.nodes.length - 1) await this.#until(() => this.#goesOn(switchedAt));
    await group.heal();
    const times = { kind, at, switchedAt, healedAt: performance.now() };
    this.moments.faults.push(times);
    await this.#until(() => this.#goesOn(times.healedAt));
    return times;
  }

  /** Ends the load, and waits until the chain is applied to its end and every reader has what there is. */
  async settle(): Promise<void> {
    this.#isLoaded = false;
    await this.#load;
    const [{ store }] = this.#nodes as [WatchedNode];
    const end = this.chain.end?.hash;
    while ((await store.tip()).point?.hash !== end) await delay(20);
    const last = this.#calls + 1;
    await store.receive([transaction(last)]);
    await this.#until(() => [...this.moments.readings.values()].every((each) => each.at(-1)?.what === last));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLoaded = false;
    await this.#load;
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }

  async #start(): Promise<void> {
    const { pool, nodes, ttlMs, callers, blockEveryMs } = this.#options;
    const { endpoint, chain: source, moments } = this;
    for (let i = 1; i <= nodes; i += 1)
      this.#nodes.push(await WatchedNode.open({ id: `node-${i}`, pool, ttlMs, timeoutMs, endpoint, source, moments }));
    for (const node of this.#nodes) await node.start();
    const working = this.#nodes.flatMap((node) => Array.from({ length: callers }, () => this.#call(node)));
    this.#load = Promise.all([...working, this.#feed(blockEveryMs)]);
    await this.#until(() => this.#goesOn(0));
  }

  /** Writes, each under an id of its own, and again until it is answered. */
  async #call({ id, store }: WatchedNode): Promise<void> {
    while (this.#isLoaded) {
      this.#calls += 1;
      const n = this.#calls;
      const operationId = `${id}/${n}`;
      for (let isAnswered = false; !isAnswered; ) {
        isAnswered = await store.receive([transaction(n)], { operationId }).then(() => true, isFinal);
      }
      this.moments.answered.push({ node: id, n, at: performance.now() });
      this.#ready.push(n);
      await delay(this.#options.callEveryMs);
    }
  }

  /** The chain grows by blocks that carry what was answered. */
  async #feed(everyMs: number): Promise<void> {
    for (let n = 1; this.#isLoaded; n += 1) {
      this.chain.feed({ kind: 'apply', block: chainBlock(n, this.#ready.splice(0, mostInBlock)) });
      await delay(everyMs);
    }
  }

  /** True if calls were answered and blocks applied since. */
  #goesOn(since: number): boolean {
    const { answered, applied } = this.moments;
    return (answered.at(-1)?.at ?? 0) > since && (applied.at(-1)?.at ?? 0) > since;
  }

  async #until(holds: () => boolean): Promise<void> {
    for (const deadline = performance.now() + 60_000; !holds(); await delay(5))
      if (performance.now() > deadline) throw new Error(`not within a minute: ${holds}`);
  }
}

/** @throws the error of a call that must not be repeated */
function isFinal(error: unknown): false {
  if (isMempoolError(error) && error.retryable) return false;
  throw error;
}

async function strike(kind: FaultKind, group: SentinelGroup, { server, link }: GroupNode): Promise<void> {
  switch (kind) {
    case 'kill':
      return server.kill();
    case 'freeze':
      return server.freeze();
    case 'partition':
      return link.freeze();
    case 'fail-over':
      await group.failOver();
  }
}
