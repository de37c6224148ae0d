/** The soak's faults: by chance, several at once, to nodes and to Redis. */
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisServer } from 'mempool-testkit';
import type { ClusterNode } from './cluster-node.ts';
import type { FaultPlanParts } from './failover-run.ts';

/** The resource that a fault occupies: a node's process or link, or the server. */
type OrderKey = string;

interface Fault {
  readonly place: OrderKey;
  run(): Promise<void>;
}

const atOnce = 3;
const patienceMs = 60_000;
/** After so many faults everything is healed, and a leader must work again. */
const faultsBetweenCalms = 12;
const least = { pauseMs: 200, spread: 1_200 };

export class Storm {
  readonly #parts: FaultPlanParts;
  readonly #server: RedisServer;
  readonly #running = new Map<OrderKey, Promise<void>>();
  #failure: unknown = null;

  constructor(parts: FaultPlanParts, server: RedisServer) {
    this.#parts = parts;
    this.#server = server;
  }

  /** Until there were so many faults, or the time is up. */
  async rage(faults: number, untilMs: number): Promise<void> {
    const { random, cluster, signal } = this.#parts;
    await cluster.working(patienceMs);
    for (let count = 1; count <= faults && performance.now() < untilMs; count += 1) {
      await delay(least.pauseMs + random.below(least.spread), undefined, { signal });
      while (this.#running.size >= atOnce) await Promise.race(this.#running.values());
      this.#begin(this.#anyFault());
      if (count % faultsBetweenCalms === 0) await this.#calm();
      if (this.#failure !== null) throw this.#failure;
    }
    await this.#calm();
  }

  async #calm(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#failure !== null) throw this.#failure;
    await this.#parts.cluster.working(patienceMs);
  }

  #begin({ place, run }: Fault): void {
    const fault = run()
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#running.delete(place));
    this.#running.set(place, fault);
  }

  /** A fault whose resource is free. */
  #anyFault(): Fault {
    const { random } = this.#parts;
    for (;;) {
      const fault = random.pick(this.#kinds)(this.#victim());
      if (!this.#running.has(fault.place)) return fault;
    }
  }

  /** The leader more often than not. */
  #victim(): ClusterNode {
    const { cluster, random } = this.#parts;
    return random.below(5) < 3 && cluster.leader !== null ? cluster.leader.node : random.pick(cluster.nodes);
  }

  readonly #kinds: readonly ((node: ClusterNode) => Fault)[] = [
    (node) => this.#ofProcess(node, (faults) => faults.kill(node, this.#upTo(800))),
    (node) => this.#ofProcess(node, (faults) => faults.kill(node, this.#upTo(800))),
    (node) => this.#ofProcess(node, (faults) => faults.pause(node, this.#upTo(2 * this.#parts.ttlMs))),
    (node) => this.#ofProcess(node, (faults) => faults.pause(node, this.#upTo(2 * this.#parts.ttlMs))),
    () => this.#ofLease(({ faults }, leader) => faults.resign(leader)),
    (node) => this.#ofProcess(node, (faults) => faults.stop(node, this.#upTo(500))),
    (node) => this.#ofLink(node, (faults) => faults.cut(node, this.#upTo(2 * this.#parts.ttlMs))),
    (node) => this.#ofLink(node, (faults) => faults.slow(node, this.#upTo(250), this.#upTo(2 * this.#parts.ttlMs))),
    () => this.#ofServer('restart', () => this.#restart(this.#upTo(400))),
    () => this.#ofServer('freeze', () => this.#freeze(this.#upTo(2 * this.#parts.ttlMs))),
    () => this.#ofServer('SCRIPT FLUSH', () => this.#command('SCRIPT', 'FLUSH')),
    () => this.#operator('PERSIST', 'lock'),
    () => this.#operator('PERSIST', 'lease'),
    () => this.#removal('DEL', 'lock'),
    () => this.#removal('PEXPIRE', 'lock', '1'),
  ];

  #ofProcess(node: ClusterNode, act: (faults: FaultPlanParts['faults']) => Promise<void>): Fault {
    return { place: `process of ${node.id}`, run: () => this.#once(node, act) };
  }

  /** A process that does not run, or does not run yet, cannot suffer a fault. */
  async #once(node: ClusterNode, act: (faults: FaultPlanParts['faults']) => Promise<void>): Promise<void> {
    const { cluster, faults } = this.#parts;
    await cluster.until(`${node.id} runs`, patienceMs, () => node.state === 'running');
    await act(faults);
  }

  #ofLink(node: ClusterNode, act: (faults: FaultPlanParts['faults']) => Promise<void>): Fault {
    return { place: `link of ${node.id}`, run: () => act(this.#parts.faults) };
  }

  #ofServer(name: string, act: () => Promise<void>): Fault {
    return { place: 'server', run: () => this.#parts.faults.during(name, null, act) };
  }

  async #restart(downMs: number): Promise<void> {
    await this.#server.kill();
    await delay(downMs);
    await this.#server.restart();
  }

  async #freeze(forMs: number): Promise<void> {
    this.#server.freeze();
    await delay(forMs);
    this.#server.thaw();
  }

  /** Sends what an operator would type. */
  async #command(name: string, ...args: readonly string[]): Promise<void> {
    const client = new Redis(this.#server.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      commandTimeout: 10_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.call(name, [...args]);
    } finally {
      client.disconnect();
    }
  }

  /** Useless while nobody leads. It occupies the server, which has to answer. */
  #ofLease(act: (parts: FaultPlanParts, leader: ClusterNode) => Promise<void>): Fault {
    const { cluster } = this.#parts;
    return {
      place: 'server',
      run: async () => {
        await cluster.until('a node leads', patienceMs, () => cluster.leader !== null);
        if (cluster.leader !== null) await act(this.#parts, cluster.leader.node);
      },
    };
  }

  #operator(command: string, key: string, ...more: readonly string[]): Fault {
    const act = () => this.#command(command, this.#key(key), ...more);
    return this.#ofLease(({ faults }) => faults.during(`${command} ${key}`, null, act));
  }

  #removal(command: string, key: string, ...more: readonly string[]): Fault {
    const act = () => this.#command(command, this.#key(key), ...more);
    return this.#ofLease(({ faults }) => faults.removing(`${command} ${key}`, act));
  }

  #key(name: string): string {
    return `{${this.#parts.pool}}:watcher:${name}`;
  }

  #upTo(mostMs: number): number {
    return 1 + this.#parts.random.below(Math.ceil(mostMs));
  }
}
