import {
  type Block,
  type ChainPoint,
  type Lease,
  type Mempool,
  type OpenOptions,
  Watcher,
  type WatcherEvent,
  type WatcherEventKind,
  type WatcherOptions,
} from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, vi } from 'vitest';
import { tap } from '../mempool/tap.ts';
import { type Branch, blockOn, ScriptedChain } from './scripted-chain.ts';
import { type ScriptedElection, ScriptedElections } from './scripted-election.ts';

const kinds: readonly WatcherEventKind[] = ['ready', 'diverged', 'applied', 'undone', 'fenced', 'failed', 'skipped'];

/** What a node logs when it may not write. */
export const lostLock = 'lost watcher lock, skipping confirm';
export const notWatcher = 'not watcher, skipping confirm';

/** One watcher, the chain it follows, its part in the election, and all that it told. */
export interface Node {
  readonly chain: ScriptedChain;
  readonly election: ScriptedElection;
  readonly watcher: Watcher;
  readonly events: WatcherEvent[];
  /** Messages with warnings and errors among them, in order. */
  readonly lines: string[];
  /** The kinds of its events, but the first so many. */
  kinds(after?: number): WatcherEventKind[];
  /** Resolves when it has told that many events of the kind. */
  told(kind: WatcherEventKind, times?: number): Promise<void>;
}

/**
 * The blocks of one test, by names such as `b3`: the letter is the branch, the number the slot. A text names several
 * (`b1 b2 c3`, `b1..b9`); each is the parent of the next, and stays what it was when it was first named.
 */
export class Blocks {
  readonly #named = new Map<string, Block>();

  of(text: string, below: Block | null = null): Branch {
    let parent = below;
    for (const name of namesIn(text)) {
      parent = this.#named.get(name) ?? blockNamed(name, parent);
      this.#named.set(name, parent);
    }
    return namesIn(text).map((name) => this.#named.get(name)) as Branch;
  }
}

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/([a-z])(\d+)(?:\.\.[a-z](\d+))?/g)).flatMap(([, branch, first, last = first]) => {
    const count = Number(last) - Number(first) + 1;
    return Array.from({ length: count }, (_, i) => `${branch}${Number(first) + i}`);
  });
}

function blockNamed(name: string, parent: Block | null): Block {
  const slot = Number(name.slice(1));
  if (parent === null && slot > 1) throw new Error(`${name} is on no block`);
  return blockOn(name.charCodeAt(0), slot, parent);
}

/** A pool that watchers share, fenced by the leases of one scripted election. A test's only node is its first. */
export class Scene implements AsyncDisposable {
  readonly elections: ScriptedElections;
  readonly store: Mempool;
  readonly tap: ReturnType<typeof tap>;
  /** The chain of the first node. */
  readonly chain: ScriptedChain = new ScriptedChain();
  readonly #blocks = new Blocks();
  readonly #nodes: Node[] = [];

  static async open(options: OpenOptions = {}): Promise<Scene> {
    const elections = new ScriptedElections();
    return new Scene(elections, await ephemeral.open({ fenced: true, ...options, leases: elections }));
  }

  constructor(elections: ScriptedElections, store: Mempool) {
    this.elections = elections;
    this.store = store;
    this.tap = tap(store);
  }

  get node(): Node {
    return this.#nodes[0] as Node;
  }

  blocks(text: string, below?: Block | null): Branch {
    return this.#blocks.of(text, below);
  }

  block(name: string): Block {
    return this.blocks(name)[0];
  }

  point(name: string): ChainPoint {
    return this.block(name).point;
  }

  /** Starts a watcher that follows the chain, and waits until it asks to lead. */
  async join(id: string, chain: ScriptedChain, own: Partial<WatcherOptions> = {}): Promise<Node> {
    const election = this.elections.node(id);
    const lines: string[] = [];
    const log = (_level: string, message: string): void => void lines.push(message);
    const watcher = new Watcher({ election, pool: this.tap.store, source: chain, log, ...own });
    const events: WatcherEvent[] = [];
    for (const kind of kinds) watcher.on(kind, (event) => void events.push(event));
    const all = (after = 0): WatcherEventKind[] => events.slice(after).map(({ kind }) => kind);
    const count = (kind: WatcherEventKind): number => all().filter((each) => each === kind).length;
    const told: Node['told'] = (kind, times = 1) => eventually(() => expect(count(kind)).toBeGreaterThanOrEqual(times));
    const node = { chain, election, watcher, events, lines, kinds: all, told };
    this.#nodes.push(node);
    await watcher.start();
    await election.ready;
    return node;
  }

  /** Applies blocks under a lease of its own, which it gives back: what an earlier leader did. */
  async apply(text: string): Promise<void> {
    const lease = this.elections.give('earlier');
    for (const block of this.blocks(text))
      expect(await this.store.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
    this.elections.put(null);
  }

  /** The pool has applied exactly these blocks, each once. */
  async has(text: string): Promise<void> {
    const expected = this.blocks(text);
    const { points, tick } = await this.store.tip({ points: 10_000 });
    expect(points.toReversed()).toEqual(expected.map(({ point }) => point));
    expect(tick).toBe(expected.length);
  }

  /** Resolves when the pool has. */
  reaches(text: string): Promise<void> {
    return eventually(() => this.has(text));
  }

  /** Resolves when the pool was asked by this verb. */
  asked(verb: keyof Mempool): Promise<void> {
    return eventually(() => expect(this.tap.calls).toContain(verb));
  }

  /** Keeps back what the pool answers to `confirm` from now on, until what it returns is called. */
  holdConfirm(): () => void {
    const held = Promise.withResolvers<void>();
    this.tap.after('confirm', () => held.promise);
    return held.resolve;
  }

  /** Resolves when the first node's chain was searched so often. */
  searched(times: number): Promise<void> {
    return eventually(() => expect(this.chain.searches).toHaveLength(times));
  }

  grow(text: string): void {
    this.chain.grow(...this.blocks(text, this.chain.blocks.at(-1)));
  }

  undo(name: string | null): void {
    this.chain.undo(name === null ? null : this.block(name));
  }

  /** Breaks the connection of the first node, whose source has another chain when it comes back. */
  replace(kept: string | null, more = ''): void {
    this.chain.cut();
    this.chain.forget(kept === null ? null : this.block(kept));
    this.grow(more);
  }

  win(): Lease {
    return this.node.election.win();
  }

  /** Has the first node win, and waits until it is ready. */
  async lead(): Promise<Lease> {
    const lease = this.win();
    await this.told('ready');
    return lease;
  }

  told(kind: WatcherEventKind, times?: number): Promise<void> {
    return this.node.told(kind, times);
  }

  kinds(after?: number): WatcherEventKind[] {
    return this.node.kinds(after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map(({ watcher }) => watcher.stop()));
    await this.store.close();
  }
}

interface Beginning extends Partial<WatcherOptions> {
  /** Blocks that an earlier leader has applied. */
  readonly applied?: string;
  /** The chain that the node follows. */
  readonly chain?: string;
  readonly maxRollback?: number;
  /** Runs before each search of the chain is answered. */
  readonly before?: () => Promise<void> | void;
}

/** A pool with one node that follows a chain and does not lead yet. */
export async function scene({ applied, chain, maxRollback, before, ...own }: Beginning = {}): Promise<Scene> {
  const made = await Scene.open(maxRollback === undefined ? {} : { maxRollback });
  if (applied !== undefined) await made.apply(applied);
  if (chain !== undefined) made.chain.grow(...made.blocks(chain));
  if (before !== undefined) made.chain.before = before;
  await made.join('a', made.chain, own);
  return made;
}

/** Waits until the claim holds. */
export async function eventually(claim: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(claim, { timeout: 60_000, interval: 2 });
}
