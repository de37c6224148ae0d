import {
  type Block,
  type MempoolStore,
  type OpenOptions,
  Watcher,
  type WatcherEvent,
  type WatcherEventKind,
  type WatcherOptions,
} from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, vi } from 'vitest';
import { type Tap, tap } from '../mempool/tap.ts';
import { type ScriptedElection, ScriptedElections } from './scripted-election.ts';

const kinds: readonly WatcherEventKind[] = ['ready', 'diverged', 'applied', 'undone', 'fenced', 'failed', 'skipped'];

/** One watcher on the pool, its part in the election, and all that it told. */
export interface Node {
  readonly election: ScriptedElection;
  readonly watcher: Watcher;
  readonly events: WatcherEvent[];
  /** Messages with warnings and errors among them, in order. */
  readonly lines: string[];
  kinds(): WatcherEventKind[];
  /** Resolves when it has told that many events of the kind. */
  told(kind: WatcherEventKind, times?: number): Promise<void>;
}

/** A pool that several watchers share, fenced by the leases of one scripted election. */
export class WatchedPool implements AsyncDisposable {
  readonly elections: ScriptedElections = new ScriptedElections();
  readonly store: MempoolStore;
  readonly tap: Tap;
  readonly #watchers: Watcher[] = [];

  static async open(options: OpenOptions = {}): Promise<WatchedPool> {
    const elections = new ScriptedElections();
    return new WatchedPool(elections, await ephemeral.open({ fenced: true, ...options, leases: elections }));
  }

  constructor(elections: ScriptedElections, store: MempoolStore) {
    this.elections = elections;
    this.store = store;
    this.tap = tap(store);
  }

  /** Starts a watcher that follows the source, and waits until it asks to lead. */
  async watch(id: string, source: WatcherOptions['source'], own: Partial<WatcherOptions> = {}): Promise<Node> {
    const election = this.elections.node(id);
    const lines: string[] = [];
    const log = (_level: string, message: string): void => void lines.push(message);
    const watcher = new Watcher({ election, pool: this.tap.store, source, log, ...own });
    const events: WatcherEvent[] = [];
    for (const kind of kinds) watcher.on(kind, (event) => void events.push(event));
    this.#watchers.push(watcher);
    await watcher.start();
    await election.ready;
    const count = (kind: WatcherEventKind): number => events.filter((event) => event.kind === kind).length;
    return {
      election,
      watcher,
      events,
      lines,
      kinds: () => events.map(({ kind }) => kind),
      told: (kind, times = 1) => eventually(() => expect(count(kind)).toBeGreaterThanOrEqual(times)),
    };
  }

  /** Applies blocks under a lease of its own, which it gives back: what an earlier leader did. */
  async apply(...blocks: readonly Block[]): Promise<void> {
    const lease = this.elections.give('earlier');
    for (const block of blocks)
      expect(await this.store.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
    this.elections.put(null);
  }

  /** Hashes of the applied blocks, oldest first. */
  async applied(): Promise<string[]> {
    const { points } = await this.store.tip({ points: 10_000 });
    return points.map((point) => point.hash).reverse();
  }

  /** The pool has applied exactly these blocks, each once. */
  async has(...blocks: readonly Block[]): Promise<void> {
    expect(await this.applied()).toEqual(blocks.map(({ point }) => point.hash));
    expect((await this.store.tip()).tick).toBe(blocks.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.stop()));
    await this.store.close();
  }
}

/** Waits until the claim holds. */
export async function eventually(claim: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(claim, { timeout: 10_000, interval: 2 });
}
