import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  blockEntry,
  checkFailover,
  FailoverRecorder,
  type FailoverRule,
  hostNow,
  killFault,
  parseFailoverRecord,
} from 'mempool-conformance/failover';
import type { Mempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, onTestFinished } from 'vitest';
import { block, transaction } from '../src/node/block.ts';
import { ChildNode } from '../src/node/child-node.ts';
import type { ElectionSetup, NodeEvent, NodeSetup, ToldKind } from '../src/node/message.ts';
import { patienceMs } from '../src/node/wait.ts';
import { poolDigest, poolEvents } from './pool-state.ts';

export interface ClusterOptions {
  /** Where the test and, unless they are told otherwise, the nodes find Redis. */
  readonly url: string;
  readonly ttlMs: number;
  readonly pollMs?: number;
  /** Every node has a watcher. */
  readonly watcher?: boolean;
  /** Transactions that the pool begins with, one for each block. */
  readonly blocks?: number;
}

interface NodeOptions extends Partial<ElectionSetup> {
  /** Where the node finds Redis. */
  readonly url?: string;
  /** Where its pool does; default: `url`. */
  readonly poolUrl?: string;
  /** Ids of further elections in the same process. */
  readonly more?: readonly string[];
}

interface Fault {
  readonly target?: ChildNode;
  /** It takes a live lease away from outside. */
  readonly removesLease?: boolean;
}

interface Waiter {
  readonly fits: (event: NodeEvent) => boolean;
  readonly resolve: (event: NodeEvent) => void;
}

/** Between renewals: a leader that is not let run for a while leads on for nearly the whole of its ttl. */
const oftenMs = 250;

const records = fileURLToPath(new URL('../../../.data/failover/', import.meta.url));

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const keyPrefix = `failover-${randomUUID()}`;
  const pool = await redis.open({ url: options.url, pool: keyPrefix, timeoutMs: patienceMs });
  const { blocks = 0 } = options;
  if (blocks > 0) await pool.receive(received(blocks));
  const cluster = new Cluster(options, keyPrefix, pool);
  onTestFinished(() => cluster.end());
  return cluster;
}

function received(blocks: number) {
  return Array.from({ length: blocks }, (_, i) => transaction(i + 1));
}

/** Nodes of one pool, all that they told, and the record of it. */
export class Cluster {
  /** What all keys begin with, the election's and the pool's. */
  readonly prefix: string;
  /** The test's own view of the pool. */
  readonly pool: Mempool;
  readonly events: NodeEvent[] = [];
  /** What all processes of this run write down. */
  readonly record: string;
  readonly #kept: string = keptRecord();
  readonly #options: ClusterOptions;
  readonly #keyPrefix: string;
  readonly #recorder: FailoverRecorder;
  readonly #nodes: ChildNode[] = [];
  readonly #waiters = new Set<Waiter>();

  constructor(options: ClusterOptions, keyPrefix: string, pool: Mempool) {
    this.#options = options;
    this.#keyPrefix = keyPrefix;
    this.prefix = `{${keyPrefix}}`;
    this.pool = pool;
    this.record = newRecord();
    this.#recorder = new FailoverRecorder(this.record, 'test');
    const { ttlMs } = options;
    const renewMs = Math.floor(ttlMs / 3);
    const roundTripMs = Math.floor((ttlMs - renewMs - Math.max(0.02 * ttlMs, 50) - 2) / 2);
    this.#recorder.write({ kind: 'run', at: hostNow(), ttlMs, renewMs, roundTripMs, seed: 0 });
  }

  /** A node whose process runs and whose pool is open; it takes part in the election once it is told to `start`. */
  async node(nodeId: string, { more = [], url, poolUrl, ...own }: NodeOptions = {}): Promise<ChildNode> {
    const { ttlMs, pollMs = Math.floor(ttlMs / 4), watcher = false } = this.#options;
    const renewMs = Math.min(oftenMs, Math.floor(ttlMs / 3));
    const election = { ttlMs, pollMs, renewMs, jitterMs: 10, ...own, nodeId };
    const setup: NodeSetup = {
      record: this.record,
      url: url ?? this.#options.url,
      pool: {
        backend: 'redis',
        url: poolUrl ?? url ?? this.#options.url,
        pool: this.#keyPrefix,
        timeoutMs: patienceMs,
      },
      elections: [election, ...more.map((id) => ({ ...election, nodeId: id }))],
      watcher,
      recordsEvents: false,
    };
    const node = new ChildNode(setup, (event) => this.#take(event));
    this.#nodes.push(node);
    await node.ready;
    return node;
  }

  /** A node that has started and leads. */
  async leader(nodeId: string, options: NodeOptions = {}): Promise<ChildNode> {
    const node = await this.follower(nodeId, options);
    await this.until('acquired', (event) => event.nodeId === nodeId);
    return node;
  }

  /** A node that has started, while another one leads. */
  async follower(nodeId: string, options: NodeOptions = {}): Promise<ChildNode> {
    const node = await this.node(nodeId, options);
    await node.call('start');
    return node;
  }

  /** The first event of this kind that fits, an earlier one too. */
  until<K extends ToldKind>(kind: K, accepts: (event: NodeEvent<K>) => boolean = () => true): Promise<NodeEvent<K>> {
    const fits = (event: NodeEvent): event is NodeEvent<K> => event.kind === kind && accepts(event as NodeEvent<K>);
    const known = this.events.find(fits);
    if (known !== undefined) return Promise.resolve(known);
    const found = Promise.withResolvers<NodeEvent<K>>();
    const waiter: Waiter = { fits, resolve: (event) => found.resolve(event as NodeEvent<K>) };
    const timer = setTimeout(() => {
      found.reject(new Error(`no ${kind} with ${accepts} within ${patienceMs} ms, but\n${this.#story()}`));
    }, patienceMs);
    this.#waiters.add(waiter);
    return found.promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    });
  }

  all<K extends ToldKind>(kind: K): NodeEvent<K>[] {
    return this.events.filter((event): event is NodeEvent<K> => event.kind === kind);
  }

  /** Writes down that something is broken on purpose. Returns what writes down that it is healed. */
  fault(fault: string, { target, removesLease = false }: Fault = {}): () => void {
    const named = { fault, target: target?.id ?? null };
    this.#recorder.write({ kind: 'fault', at: hostNow(), pid: target?.pid ?? null, removesLease, ...named });
    return () => this.#recorder.write({ kind: 'healed', at: hostNow(), ...named });
  }

  async kill(node: ChildNode): Promise<void> {
    this.fault(killFault, { target: node });
    await node.kill();
  }

  /** Stops every node, then checks what has to hold in every history; rules that the loss of data breaks are excused. */
  async conclude(...excused: readonly FailoverRule[]): Promise<void> {
    await Promise.all(this.#nodes.filter(({ alive }) => alive).map((node) => node.call('stop')));
    for (const event of await poolEvents(this.pool)) {
      const entry = blockEntry(event);
      if (entry !== null) this.#recorder.write(entry);
    }
    const digest = await poolDigest(this.pool);
    this.#recorder.write({ kind: 'final', at: hostNow(), digest, expected: await this.#singleNode() });
    const violations = checkFailover(parseFailoverRecord(readFileSync(this.record, 'utf8')));
    expect(violations.filter(({ rule }) => !excused.includes(rule))).toEqual([]);
  }

  /** Kills what is left, whatever state it is in. */
  async end(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.pool.close();
    this.#recorder.close();
    renameSync(this.record, this.#kept);
  }

  /** The state of a pool that one undisturbed node brought as far. */
  async #singleNode(): Promise<string> {
    const { url, blocks = 0 } = this.#options;
    const { tick } = await this.pool.tip();
    await using alone = await redis.open({ url, pool: `${this.#keyPrefix}-alone`, timeoutMs: patienceMs });
    if (blocks > 0) await alone.receive(received(blocks));
    for (let n = 1; n <= tick; n += 1) await alone.confirm(block(n));
    return await poolDigest(alone);
  }

  #take(event: NodeEvent): void {
    this.events.push(event);
    for (const waiter of this.#waiters) if (waiter.fits(event)) waiter.resolve(event);
  }

  #story(): string {
    const told = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
    return this.events
      .slice(-60)
      .map((event) => JSON.stringify(event, told))
      .join('\n');
  }
}

/** A file of this run alone; several may run at once. */
function newRecord(): string {
  mkdirSync(records, { recursive: true });
  return join(records, `${randomUUID()}.jsonl`);
}

/** Where the record of the test's last run is kept, to be looked at and checked again. */
function keptRecord(): string {
  const title = (expect.getState().currentTestName ?? '').replaceAll(/[^a-z0-9]+/gi, '-');
  return join(records, `${title}.jsonl`);
}
