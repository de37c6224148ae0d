/** The nodes of a run, kept alive, and what they tell of who leads. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'mempool-core';
import type { ChainFeed } from './chain-feed.ts';
import { ClusterNode } from './cluster-node.ts';
import { Link } from './link.ts';
import type { FromNode, NodeTask } from './node-message.ts';

export interface Leader {
  readonly node: ClusterNode;
  readonly term: number;
  /** Whether it has said that the pool is where the chain is, and how many blocks it has applied since it leads. */
  readonly isReady: boolean;
  readonly applied: number;
}

export interface ClusterOptions extends Omit<NodeTask, 'nodeId'> {
  readonly nodes: number;
}

const submitMs = 1_500;
const againMs = 25;
/** So many starts in a row that fail are not Redis being away. */
const vainStarts = 20;

export class Cluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  readonly #chain: ChainFeed;
  readonly #say: (line: string) => void;
  readonly #lives: Promise<void>[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #down = new Set<ClusterNode>();
  #leader: Leader | null = null;
  #isEnding = false;
  #failure: Error | null = null;

  static async start(options: ClusterOptions, chain: ChainFeed, say: (line: string) => void): Promise<Cluster> {
    const ids = Array.from({ length: options.nodes }, (_, index) => `node-${index + 1}`);
    const links = await Promise.all(ids.map(() => Link.open(options.url)));
    const { nodes, ...common } = options;
    const tasks = ids.map((nodeId, index) => ({ ...common, nodeId, url: links[index]?.url ?? '' }));
    return new Cluster(tasks, links, chain, say);
  }

  private constructor(
    tasks: readonly NodeTask[],
    links: readonly Link[],
    chain: ChainFeed,
    say: (line: string) => void,
  ) {
    this.#chain = chain;
    this.#say = say;
    this.nodes = tasks.map((task, index) => {
      const node: ClusterNode = new ClusterNode(task, links[index] as Link, (message) => this.#take(node, message));
      return node;
    });
    for (const node of this.nodes) this.#lives.push(this.#keep(node));
  }

  get leader(): Leader | null {
    return this.#leader;
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

  /** All nodes stop as they should: each says that it lost. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#changed();
    for (const node of this.nodes) node.tell({ kind: 'stop' });
    await Promise.all(this.#lives);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    for (const node of this.nodes) node.kill();
    this.#changed();
    await Promise.all(this.#lives);
    for (const { link } of this.nodes) await link[Symbol.asyncDispose]();
  }

  /** Starts the node again whenever it has ended. One that ends by itself is a failure; one may start while Redis is away. */
  async #keep(node: ClusterNode): Promise<void> {
    let vain = 0;
    while (!this.#isEnding) {
      const ended = await node.start();
      vain = ended === 'before it started' ? vain + 1 : 0;
      if (ended === 'by itself' || vain === vainStarts)
        this.#failure ??= new Error(`${node.id} ended ${ended}: ${node.complaint}`);
      this.#chain.leaveAll(followerName(node, ''));
      if (this.#leader?.node === node) this.#leader = null;
      this.#changed();
      while (this.#down.has(node) && !this.#isEnding) await this.#change(1_000);
    }
  }

  #take(node: ClusterNode, message: FromNode): void {
    switch (message.kind) {
      case 'intersect':
        this.#intersect(node, message);
        return;
      case 'left':
        this.#chain.leave(followerName(node, message.search));
        return;
      case 'acquired':
        this.#acquired(node, message.term);
        break;
      case 'lost':
        if (this.#leader?.term === message.term) this.#leader = null;
        this.#say(`${node.id} lost term ${message.term}: ${message.reason}`);
        break;
      case 'ready':
        if (this.#leader?.term === message.term) this.#leader = { ...this.#leader, isReady: true };
        break;
      case 'applied':
        if (this.#leader?.term === message.term) this.#leader = { ...this.#leader, applied: this.#leader.applied + 1 };
        break;
      case 'failed':
        this.#failure ??= new Error(`${node.id}: ${message.why}`);
        break;
      case 'started':
      case 'submitted':
      case 'refused':
    }
    this.#changed();
  }

  /** What a node tells may come late: a newer leader stays. */
  #acquired(node: ClusterNode, term: number): void {
    if ((this.#leader?.term ?? 0) > term) return;
    this.#leader = { node, term, isReady: false, applied: 0 };
    this.#say(`${node.id} leads, term ${term}`);
  }

  #intersect(node: ClusterNode, { search, points }: Extract<FromNode, { readonly kind: 'intersect' }>): void {
    const point = this.#chain.find(points);
    node.tell({ kind: 'found', search, point: point ?? null, isKnown: point !== undefined });
    if (point === undefined) return;
    this.#chain.follow(followerName(node, search), point, (step) => node.tell({ kind: 'step', search, step }));
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

function followerName({ id }: ClusterNode, search: number | ''): string {
  return `${id} ${search}`;
}
