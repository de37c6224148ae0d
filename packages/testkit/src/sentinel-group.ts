import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { needRedisServer } from './redis-program.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

const lookMs = 20;
const masterName = 'main';

export interface GroupOptions {
  /** The folder for the servers' files. The caller makes and removes it. */
  readonly dir: string;
  /** How many replicas the master has; default 2. */
  readonly replicas?: number;
  /** How many Sentinels watch it; default 3. More than half of them decide. */
  readonly sentinels?: number;
  /** The time without an answer after which a Sentinel considers the master down, in milliseconds; default 1,000. */
  readonly downAfterMs?: number;
  /** Further command-line arguments of each server. */
  readonly args?: readonly string[];
}

/** A server of the group. All others reach it through its proxy. */
export interface GroupNode {
  readonly server: RedisServer;
  readonly link: TcpProxy;
  /** An operator's connection, past the proxy. */
  readonly admin: Redis;
}

/** A Sentinel, a real process. */
interface Sentinel {
  readonly port: number;
  readonly child: ChildProcess;
}

interface Seen {
  readonly master: GroupNode | undefined;
  /** True if it considers the master down, or replaces it. No other action may interfere then. */
  readonly isMoving: boolean;
  /** True if it knows all others, and none is down. */
  readonly isWhole: boolean;
}

/** Starts a master, its replicas and its Sentinels on free ports. Resolves when the replicas follow and the Sentinels agree. */
export async function startSentinelGroup(options: GroupOptions): Promise<SentinelGroup> {
  const { dir, replicas = 2, sentinels = 3, downAfterMs = 1_000, args = [] } = options;
  // Before the proxies, which would keep the process alive.
  needRedisServer();
  const nodes = await Promise.all(Array.from({ length: replicas + 1 }, () => startNode(dir, args)));
  const [master, ...others] = nodes as [GroupNode, ...GroupNode[]];
  for (const { admin } of others) await admin.replicaof('127.0.0.1', portOf(master));
  const plans = await planSentinels(sentinels);
  const file = (own: Plan) => sentinelFile({ own, plans, nodes, downAfterMs });
  const watching = await Promise.all(
    plans.map((own) => startSentinel(join(dir, `sentinel-${own.port}`), own, file(own))),
  );
  const group = new SentinelGroup(nodes, watching);
  await group.untilHealthy();
  return group;
}

/** A running group that the caller stops. */
export class SentinelGroup implements AsyncDisposable {
  readonly nodes: readonly GroupNode[];
  readonly #sentinels: readonly Sentinel[];
  readonly #asked: Redis;

  constructor(nodes: readonly GroupNode[], sentinels: readonly Sentinel[]) {
    this.nodes = nodes;
    this.#sentinels = sentinels;
    const [first] = sentinels as [Sentinel];
    this.#asked = operatorOf(first.port);
  }

  /** The options of a client. */
  get endpoint(): { readonly sentinels: readonly string[]; readonly masterName: string } {
    return { sentinels: this.#sentinels.map(({ port }) => `127.0.0.1:${port}`), masterName };
  }

  /** Returns the master that the Sentinels name. */
  async master(): Promise<GroupNode> {
    const [, port] = (await this.#asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName)) as [string, string];
    const node = this.nodes.find((each) => portOf(each) === Number(port));
    if (node === undefined) throw new Error(`no server of the group listens at ${port}`);
    return node;
  }

  /** Asks the Sentinels to put a replica in the master's place. Resolves when it is the master. */
  async failOver(): Promise<GroupNode> {
    const before = await this.master();
    await this.#until(async () => {
      const answer = await this.#asked.call('SENTINEL', 'FAILOVER', masterName).catch((error: Error) => error.message);
      return answer === 'OK' || String(answer).startsWith('INPROG');
    });
    return this.successorOf(before);
  }

  /** Resolves with the next master, when the Sentinels name it and it knows that it is one. */
  async successorOf(before: GroupNode): Promise<GroupNode> {
    await this.#until(async () => {
      const now = await this.master();
      return now !== before && /role:master/.test(await now.admin.info('replication'));
    });
    return this.master();
  }

  /** Starts killed servers and resumes frozen servers and links, all as replicas. Resolves when the group is complete. */
  async heal(): Promise<void> {
    for (const { server, link } of this.nodes) {
      if (!server.isRunning) await server.restart();
      server.thaw();
      link.thaw();
    }
    await this.untilHealthy();
  }

  /**
   * Waits until all Sentinels see the same master, see each other and report no fault, and all other servers follow that master. It
   * commands a server that does not follow to do so, because Sentinels wait some ten seconds before they do.
   */
  async untilHealthy(): Promise<void> {
    await this.#until(async () => {
      const seen = await Promise.all(this.#sentinels.map((each) => this.#seenBy(each)));
      const [master] = seen.map((each) => each.master);
      if (master === undefined || seen.some((each) => each.master !== master || each.isMoving)) return false;
      return (await this.#isFollowed(master)) && seen.every((each) => each.isWhole);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#asked.disconnect();
    for (const { admin } of this.nodes) admin.disconnect();
    for (const { child } of this.#sentinels) child.kill('SIGKILL');
    await Promise.all(this.nodes.map(({ server }) => server.kill()));
    await Promise.all(this.nodes.map(({ link }) => link.close()));
  }

  /** Whether all other servers have what the master has. Those that follow another one are told. */
  async #isFollowed(master: GroupNode): Promise<boolean> {
    let isWhole = /role:master/.test(await master.admin.info('replication'));
    for (const { admin } of this.nodes) {
      if (admin === master.admin) continue;
      const info = await admin.info('replication');
      isWhole &&= /master_link_status:up/.test(info);
      if (info.includes(`master_port:${portOf(master)}\r`)) continue;
      isWhole = false;
      await admin.replicaof('127.0.0.1', portOf(master));
    }
    return isWhole;
  }

  async #seenBy({ port }: Sentinel): Promise<Seen> {
    const client = operatorOf(port);
    try {
      const fields = (await client.call('SENTINEL', 'MASTER', masterName)) as string[];
      const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
      const replicas = (await client.call('SENTINEL', 'REPLICAS', masterName)) as string[][];
      const flags = replicas.map((each) => each[each.indexOf('flags') + 1]);
      const isKnown = flags.length >= this.nodes.length - 1 && flags.every((each) => each === 'slave');
      const others = Number(field('num-other-sentinels'));
      const isWhole = isKnown && others === this.#sentinels.length - 1;
      const master = this.nodes.find((each) => portOf(each) === Number(field('port')));
      return { master, isMoving: field('flags') !== 'master', isWhole };
    } finally {
      client.disconnect();
    }
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo().catch(() => false))) await pause(lookMs);
  }
}

/** The port at which the others reach it. */
function portOf({ link }: Pick<GroupNode, 'link'>): number {
  return Number(new URL(link.url).port);
}

async function startNode(dir: string, args: readonly string[]): Promise<GroupNode> {
  const port = await freePort();
  const link = await startProxy(`redis://127.0.0.1:${port}`);
  const announced = ['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(portOf({ link }))];
  const quick = ['--repl-diskless-sync-delay', '0', '--repl-timeout', '5'];
  const folder = join(dir, String(port));
  await mkdir(folder);
  const server = await startRedisServer({ dir: folder, port, args: [...announced, ...quick, ...args] });
  return { server, link, admin: operatorOf(port) };
}

interface Plan {
  readonly id: string;
  readonly port: number;
}

async function planSentinels(count: number): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (let i = 0; i < count; i += 1) plans.push({ id: randomBytes(20).toString('hex'), port: await freePort() });
  return plans;
}

interface FileParts {
  readonly own: Plan;
  readonly plans: readonly Plan[];
  readonly nodes: readonly GroupNode[];
  readonly downAfterMs: number;
}

/** The file of a Sentinel that knows the group already: finding each other takes Sentinels several seconds. */
function sentinelFile({ own, plans, nodes, downAfterMs }: FileParts): string {
  const [master, ...replicas] = nodes as [GroupNode, ...GroupNode[]];
  const others = plans.filter(({ port }) => port !== own.port);
  return [
    `port ${own.port}`,
    'bind 127.0.0.1',
    `sentinel myid ${own.id}`,
    `sentinel monitor ${masterName} 127.0.0.1 ${portOf(master)} ${Math.floor(plans.length / 2) + 1}`,
    `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
    `sentinel failover-timeout ${masterName} ${2 * downAfterMs}`,
    `sentinel parallel-syncs ${masterName} ${replicas.length}`,
    ...replicas.map((each) => `sentinel known-replica ${masterName} 127.0.0.1 ${portOf(each)}`),
    ...others.map(({ id, port }) => `sentinel known-sentinel ${masterName} 127.0.0.1 ${port} ${id}`),
    '',
  ].join('\n');
}

async function startSentinel(folder: string, { port }: Plan, text: string): Promise<Sentinel> {
  await mkdir(folder);
  const file = join(folder, 'sentinel.conf');
  await writeFile(file, text);
  const child = spawn('redis-server', [file, '--sentinel'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  child.once('exit', () => process.off('exit', stopWithUs));
  // Read to its end even after the first line: a full pipe would stop it.
  child.stdout.resume();
  await once(child.stdout, 'data');
  return { port, child };
}

function operatorOf(port: number): Redis {
  const client = new Redis(`redis://127.0.0.1:${port}`, { maxRetriesPerRequest: null, retryStrategy: () => lookMs });
  client.on('error', () => undefined);
  return client;
}
