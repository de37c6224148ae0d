/** The nodes of a run, which are kept alive, the chain they follow, and who leads. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SourceStep, Transaction } from 'mempool-core';
import { startProxy, type TcpProxy } from 'mempool-testkit';
import { FedChain } from '../node/fed-chain.ts';
import type { NodeEvent, NodeSetup } from '../node/message.ts';
import { ClusterNode } from './cluster-node.ts';
import { poolSettings } from './pool-settings.ts';

export interface Leader {
  readonly node: ClusterNode;
  readonly term: number;
  /** Whether the node reports that the pool has reached the chain's end, and how many blocks it has applied since it leads. */
  readonly isReady: boolean;
  readonly applied: number;
}

export interface ClusterOptions {
  readonly nodes: number;
  readonly url: string;
  readonly pool: string;
  readonly ttlMs: number;
  /** The file that every process of the run writes to. */
  readonly record: string;
}

const submitMs = 1_500;
const againMs = 25;
/** So many failed starts in a row are not explained by an unreachable Redis. */
const vainStarts = 20;

export class Cluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  readonly chain: FedChain = new FedChain();
  readonly #say: (line: string) => void;
  readonly #lives = new Map<ClusterNode, Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #down = new Set<ClusterNode>();
  #leader: Leader | null = null;
  #isEnding = false;
  #failure: Error | null = null;

  static async start(options: ClusterOptions, say: (line: string) => void): Promise<Cluster> {
    const links = Array.from({ length: options.nodes }, () => startProxy(options.url));
    return new Cluster(options, await Promise.all(links), say);
  }

  private constructor(options: ClusterOptions, links: readonly TcpProxy[], say: (line: string) => void) {
    this.#say = say;
    this.nodes = links.map((link, index) => {
      const id = `node-${index + 1}`;
      const node: ClusterNode = new ClusterNode(id, setupOf(options, id, link.url), link, (event) =>
        this.#take(node, event),
      );
      return node;
    });
    for (const node of this.nodes) this.#lives.set(node, this.#keep(node));
  }

  get leader(): Leader | null {
    return this.#leader;
  }

  /** The chain goes on: every node sees it. */
  release(step: SourceStep): void {
    this.chain.feed(step);
    for (const node of this.nodes) node.grow(step);
  }

  /** Resolves when the condition holds; it is looked at whenever a node has told something. */
  async until(what: string, withinMs: number, holds: () => boolean): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!holds()) {
      this.#throwFailure();
      if (this.#isEnding) throw new Error(`the run is over: ${what}`);
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`not so within ${withinMs} ms: ${what}`);
      await this.#change(left);
    }
  }

  /** A node that leads and has applied a block. */
  async working(withinMs: number): Promise<Leader> {
    await this.until('a node leads and applies blocks', withinMs, () => {
      const leader = this.#leader;
      return leader?.isReady === true && leader.applied > 0 && leader.node.state === 'running';
    });
    return this.#leader as Leader;
  }

  /** Puts transactions into the pool by whichever node it takes, the first one's pick being the caller's. */
  async submit(id: string, transactions: readonly Transaction[], pick: () => ClusterNode): Promise<void> {
    while (!(await pick().submit(id, transactions, submitMs))) {
      this.#throwFailure();
      if (this.#isEnding) return;
      await delay(againMs);
    }
  }

  /** Keeps a node down until `revive`. */
  hold(node: ClusterNode): void {
    this.#down.add(node);
  }

  revive(node: ClusterNode): void {
    this.#down.delete(node);
    this.#changed();
  }

  /** All nodes stop as they should, the leader last, so that nobody takes over. Each says that it lost. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#changed();
    const leader = this.#leader?.node;
    const others = this.nodes.filter((node) => node !== leader);
    for (const node of others) node.stop();
    await Promise.all(others.map((node) => this.#lives.get(node)));
    leader?.stop();
    await Promise.all(this.#lives.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    for (const node of this.nodes) node.kill();
    this.#changed();
    await Promise.all(this.#lives.values());
    for (const { link } of this.nodes) await link.close();
  }

  /** Starts the node again whenever it has ended. One that ends by itself is a failure; one may start while Redis is away. */
  async #keep(node: ClusterNode): Promise<void> {
    let vain = 0;
    while (!this.#isEnding) {
      const ended = await node.start(() => this.chain.steps());
      vain = ended === 'before it started' ? vain + 1 : 0;
      if (ended === 'by itself' || vain === vainStarts)
        this.#failure ??= new Error(`${node.id} ended ${ended}: ${node.complaint}`);
      if (this.#leader?.node === node) this.#leader = null;
      this.#changed();
      while (this.#down.has(node) && !this.#isEnding) await this.#change(1_000);
    }
  }

  #take(node: ClusterNode, event: NodeEvent): void {
    switch (event.kind) {
      case 'acquired':
        this.#acquired(node, event.term);
        break;
      case 'lost':
        if (this.#leader?.term === event.term) this.#leader = null;
        this.#say(`${node.id} lost term ${event.term}: ${event.reason}`);
        break;
      case 'ready':
        if (this.#leader?.term === event.term) this.#leader = { ...this.#leader, isReady: true };
        break;
      case 'applied':
        if (this.#leader?.term === event.term) this.#leader = { ...this.#leader, applied: this.#leader.applied + 1 };
        break;
      case 'diverged':
        this.#failure ??= new Error(`${node.id}: the pool and the chain have no block in common`);
        break;
      case 'failed':
        this.#failure ??= new Error(`${node.id}: ${event.message}`);
    }
    this.#changed();
  }

  /** What a node tells may come late: a newer leader stays. */
  #acquired(node: ClusterNode, term: number): void {
    if ((this.#leader?.term ?? 0) > term) return;
    this.#leader = { node, term, isReady: false, applied: 0 };
    this.#say(`${node.id} leads, term ${term}`);
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #change(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, Math.min(withinMs, 1_000));
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(late);
    this.#waiting.delete(resolve);
  }
}

function setupOf({ pool, ttlMs, record }: ClusterOptions, nodeId: string, url: string): NodeSetup {
  const election = { nodeId, ttlMs, pollMs: Math.min(500, Math.floor(ttlMs / 4)) };
  return { record, url, pool: poolSettings({ url, pool }), elections: [election], watcher: true, recordsEvents: true };
}
