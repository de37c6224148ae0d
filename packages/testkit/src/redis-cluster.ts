import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';

const slots = 16_384;
const lookMs = 20;
/** Longer than any wait of a healthy cluster, on a busy machine as well. */
const patienceMs = 60_000;
/** After this time Redis gives a hand-over up, such as on a machine that is too busy: `CLUSTER_MF_TIMEOUT` is 5 s. */
const handOverMs = 5_500;

export interface ClusterOptions {
  /** The folder for the servers' files. The caller makes and removes it. */
  readonly dir: string;
  /** How many masters share the slots; default 3. */
  readonly masters?: number;
  /** How many replicas each master has; default 1. */
  readonly replicas?: number;
  /** The time without an answer after which a master counts as dead, in milliseconds; default 1,000. */
  readonly nodeTimeoutMs?: number;
  /** Further command-line arguments of each server. */
  readonly args?: readonly string[];
}

/** A server of the cluster. */
export interface ClusterNode {
  readonly id: string;
  readonly server: RedisServer;
  /** An operator's connection to it. */
  readonly admin: Redis;
}

interface Plan {
  readonly id: string;
  readonly port: number;
  readonly busPort: number;
  readonly role: string;
}

/**
 * Starts a Redis Cluster of real servers on free ports: the masters first, then their replicas. Each server receives the
 * whole topology as its `nodes.conf`, so that no `CLUSTER MEET` is needed.
 */
export async function startRedisCluster(options: ClusterOptions): Promise<RedisCluster> {
  const { masters = 3, replicas = 1, dir, nodeTimeoutMs = 1_000, args = [] } = options;
  const plans = await planNodes(masters, masters * (1 + replicas));
  const start = async (own: Plan): Promise<ClusterNode> => {
    const folder = join(dir, String(own.port));
    await mkdir(folder);
    await writeFile(join(folder, 'nodes.conf'), nodesFile(plans, own, masters));
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(own.busPort)];
    const timeout = ['--cluster-node-timeout', String(nodeTimeoutMs), '--repl-diskless-sync-delay', '0'];
    const server = await startRedisServer({ dir: folder, port: own.port, args: [...cluster, ...timeout, ...args] });
    const admin = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => lookMs });
    admin.on('error', () => undefined);
    return { id: own.id, server, admin };
  };
  const cluster = new RedisCluster(await Promise.all(plans.map(start)), nodeTimeoutMs);
  await cluster.untilHealthy();
  return cluster;
}

/** A running Redis Cluster that the caller stops. */
export class RedisCluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  readonly #electionMs: number;
  readonly #electedAt = new Map<ClusterNode, number>();

  constructor(nodes: readonly ClusterNode[], nodeTimeoutMs: number) {
    this.nodes = nodes;
    this.#electionMs = 2 * Math.max(2 * nodeTimeoutMs, 2_000);
  }

  /** `host:port` of each server. */
  get addresses(): string[] {
    return this.nodes.map(({ server }) => `127.0.0.1:${server.port}`);
  }

  /** The slot of a key. */
  async slotOf(key: string): Promise<number> {
    return Number(await this.#alive().admin.call('CLUSTER', 'KEYSLOT', key));
  }

  /** Returns the master that serves this slot, according to the other servers. */
  async masterOf(slot: number): Promise<ClusterNode> {
    return this.#found(`a master of slot ${slot}`, () => this.#ownerFrom(this.#alive(), slot));
  }

  /** Another master than the one that serves this slot. */
  async otherMaster(slot: number): Promise<ClusterNode> {
    const owner = await this.masterOf(slot);
    for (const node of this.nodes) if (node !== owner && (await isMaster(node))) return node;
    throw new Error('the cluster has no other master');
  }

  /** Moves a slot with its keys to another master, as `redis-cli --cluster reshard` does. */
  async moveSlot(slot: number, to: ClusterNode): Promise<void> {
    const from = await this.masterOf(slot);
    if (from === to) return;
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    for (;;) {
      const keys = (await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[];
      if (keys.length === 0) break;
      await from.admin.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 60_000, 'KEYS', ...keys);
    }
    // The new owner first: it must not lose the slot if the old one fails now.
    for (const node of [to, from]) await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    await this.#until(async () => (await this.#views(slot)).every((owner) => owner === to));
  }

  /** Makes the replica of the slot's master the master, without loss, and waits until all know. */
  async handOver(slot: number): Promise<void> {
    const replica = await this.#replicaOf(slot);
    await this.#untilElectable(replica);
    let askedAt = Number.NEGATIVE_INFINITY;
    await this.#until(async () => {
      if (performance.now() > askedAt + handOverMs && !(await isMaster(replica))) {
        await replica.admin.call('CLUSTER', 'FAILOVER');
        askedAt = performance.now();
      }
      return (await this.#views(slot)).every((owner) => owner === replica);
    });
    this.#electedAt.set(replica, performance.now());
    await this.untilHealthy();
  }

  /** Kills the slot's master and waits until another server serves it. Returns the successor. */
  async failOver(slot: number): Promise<ClusterNode> {
    const dead = await this.masterOf(slot);
    for (const node of this.nodes) if (node !== dead) await this.#untilElectable(node);
    await dead.server.kill();
    await this.#until(async () => (await this.masterOf(slot)) !== dead);
    const successor = await this.masterOf(slot);
    this.#electedAt.set(successor, performance.now());
    return successor;
  }

  /**
   * Redis 7 counts the votes of a server's last election again if it stands for another one within this time: it serves
   * with an old epoch, and the others never follow it.
   */
  async #untilElectable(node: ClusterNode): Promise<void> {
    const until = (this.#electedAt.get(node) ?? Number.NEGATIVE_INFINITY) + this.#electionMs;
    await pause(Math.max(0, until - performance.now()));
  }

  /** Waits until every running server serves, knows every slot's owner, and each replica follows its master. */
  async untilHealthy(): Promise<void> {
    await this.#until(async () => {
      let masters = 0;
      let size = 0;
      for (const { admin } of this.#running()) {
        const info = `${await admin.call('CLUSTER', 'INFO')}${await admin.info('replication')}`;
        if (!/cluster_state:ok/.test(info) || /cluster_slots_(fail|pfail):[1-9]/.test(info)) return false;
        if (/role:slave/.test(info) && !/master_link_status:up/.test(info)) return false;
        if (/role:master/.test(info)) masters += 1;
        size = Number(/cluster_size:(\d+)/.exec(info)?.[1]);
      }
      // A master that another one took over from may not know it yet.
      return masters === size;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { admin } of this.nodes) admin.disconnect();
    await Promise.all(this.nodes.map(({ server }) => server.kill()));
  }

  #running(): ClusterNode[] {
    return this.nodes.filter(({ server }) => server.isRunning);
  }

  #alive(): ClusterNode {
    const [first] = this.#running();
    if (first === undefined) throw new Error('no server of the cluster runs');
    return first;
  }

  /** Waits for a server that follows the slot's master: one that was restarted takes a while until both know that it does. */
  #replicaOf(slot: number): Promise<ClusterNode> {
    return this.#found(`a replica of the master of slot ${slot}`, async () => {
      const master = await this.#ownerFrom(this.#alive(), slot);
      if (!master?.server.isRunning) return undefined;
      for (const node of this.#running()) if (node !== master && (await follows(node, master))) return node;
      return undefined;
    });
  }

  /** The owner of the slot as each running server sees it. */
  #views(slot: number): Promise<(ClusterNode | undefined)[]> {
    return Promise.all(this.#running().map((node) => this.#ownerFrom(node, slot)));
  }

  /** Returns undefined while the slot changes hands and this server knows no owner. */
  async #ownerFrom({ admin }: ClusterNode, slot: number): Promise<ClusterNode | undefined> {
    const ranges = (await admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
    const id = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][2];
    return this.nodes.find((node) => node.id === id);
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    await this.#found('the state that was asked for', async () => (await isSo()) || undefined);
  }

  async #found<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = await find().catch(unlessLoading);
      if (found !== undefined) return found;
      if (performance.now() > until) throw new Error(`the cluster had not ${what} within ${patienceMs / 1_000} s`);
      await pause(lookMs);
    }
  }
}

/** A replica that takes its master's data answers nothing else meanwhile. */
function unlessLoading(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith('LOADING ')) return undefined;
  throw error;
}

/** Both servers know it, and have a connection on which they can agree on a hand-over. */
async function follows(replica: ClusterNode, master: ClusterNode): Promise<boolean> {
  const replicas = (await master.admin.call('CLUSTER', 'REPLICAS', master.id)) as string[];
  const nodes = String(await replica.admin.call('CLUSTER', 'NODES')).split('\n');
  const isConnected = (lines: readonly string[], { id }: ClusterNode) =>
    lines.some((line) => line.startsWith(id) && / connected( |$)/.test(line));
  return isConnected(replicas, replica) && isConnected(nodes, master) && !(await isMaster(replica));
}

async function isMaster({ server, admin }: ClusterNode): Promise<boolean> {
  return server.isRunning && /role:master/.test(await admin.info('replication'));
}

async function planNodes(masters: number, count: number): Promise<Plan[]> {
  const plans: Plan[] = [];
  const ports = new Set<number>();
  // The kit may give a port twice as long as nobody listens there.
  while (ports.size < 2 * count) ports.add(await freePort());
  const free = [...ports];
  for (let i = 0; i < count; i += 1) {
    const id = randomBytes(20).toString('hex');
    const role = i < masters ? 'master -' : `slave ${plans[i % masters]?.id}`;
    plans.push({ id, port: free[2 * i] as number, busPort: free[2 * i + 1] as number, role });
  }
  return plans;
}

/** The file in which a server of a cluster keeps what it knows. */
function nodesFile(plans: readonly Plan[], own: Plan, masters: number): string {
  const lines = plans.map((plan, i) => {
    const range = `${Math.ceil((i * slots) / masters)}-${Math.ceil(((i + 1) * slots) / masters) - 1}`;
    const flags = plan === own ? `myself,${plan.role}` : plan.role;
    const epoch = (i % masters) + 1;
    return `${plan.id} 127.0.0.1:${plan.port}@${plan.busPort} ${flags} 0 0 ${epoch} connected${i < masters ? ` ${range}` : ''}`;
  });
  return [...lines, `vars currentEpoch ${masters} lastVoteEpoch 0`, ''].join('\n');
}
