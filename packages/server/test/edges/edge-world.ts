import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServerOptions } from 'mempool-server';
import { freePort, type Running, startProgram } from 'mempool-testkit';
import { ownCluster, ownGroup, ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished } from 'vitest';
import { applyTo, undoIn } from './file-chain.ts';

const standardProgram = fileURLToPath(new URL('edge-program.ts', import.meta.url));

/** Where a pool is kept beyond the end of a process. Two servers share it. */
export const sharedBackends = ['sqlite', 'redis'] as const;

/** Each backend and each ordering, not each with each: for walks through forks, and through kills. */
export const forked = [
  ['ephemeral', 'fifo'],
  ['ephemeral', 'priority'],
  ['sqlite', 'priority'],
  ['redis', 'fifo'],
] as const;
export const killed = [
  ['sqlite', 'fifo'],
  ['redis', 'priority'],
] as const;

type Place = 'ephemeral' | 'cluster' | 'sentinels' | (typeof sharedBackends)[number];

/** The fields of `[mempool]` that say where the pool is. */
const stores: { readonly [P in Place]: (folder: string) => Promise<object> } = {
  ephemeral: async () => ({ backend: 'ephemeral' }),
  sqlite: async (folder) => ({ backend: 'sqlite', path: join(folder, 'pool.sqlite') }),
  redis: async () => ({ backend: 'redis', url: (await ownServer()).url }),
  cluster: async () => ({ backend: 'redis', cluster: (await ownCluster({ replicas: 0 })).addresses }),
  sentinels: async () => {
    const { endpoint } = await ownGroup({ replicas: 1, sentinels: 1 });
    return { backend: 'redis', ...endpoint, minReplicas: 1 };
  },
};

export interface EdgeServer extends Running {
  readonly url: string;
  readonly edges: Readonly<Record<string, string>>;
}

export interface EdgeWorldOptions {
  /** Fields of `[mempool]` beside those of the backend. */
  readonly mempool?: object;
  readonly server?: Partial<ServerOptions>;
  /** The edges that are on, without their ports. */
  readonly edges: Readonly<Record<string, object>>;
  /** The program of each server, which gets the configuration and the file of the chain. Default: one that follows that file. */
  readonly program?: string;
}

/**
 * Servers in processes of their own on one pool, which follow one chain and elect who applies it: one on a pool in
 * memory, else two. A server that is started again has the same ports. For this test alone.
 */
export class EdgeWorld {
  readonly servers: EdgeServer[] = [];
  readonly #configs: readonly string[];
  readonly #chainFile: string;
  readonly #program: string;

  private constructor(configs: readonly string[], chainFile: string, program: string) {
    this.#program = program;
    this.#configs = configs;
    this.#chainFile = chainFile;
  }

  static async open(
    place: Place,
    { mempool, server, edges, program = standardProgram }: EdgeWorldOptions,
  ): Promise<EdgeWorld> {
    const folder = scratchFolder();
    const pool = { ...(await stores[place](folder)), finalizeThreshold: 3, ...mempool };
    const configOf = async (nodeId: string): Promise<string> => {
      const ports: Record<string, object> = {};
      for (const [name, fields] of Object.entries(edges)) ports[name] = { ...fields, port: await freePort() };
      const election = { enabled: true, nodeId, ttlMs: 1_000 };
      // The source is given by the program; the name is only there because an election needs one.
      const watcher = { source: 'given-by-the-program' };
      return JSON.stringify({
        mempool: pool,
        server: { port: await freePort(), ...server },
        election,
        watcher,
        edges: ports,
      });
    };
    const chainFile = join(folder, 'chain.jsonl');
    writeFileSync(chainFile, '');
    const names = place === 'ephemeral' ? ['a'] : ['a', 'b'];
    const configs: string[] = [];
    for (const name of names) configs.push(await configOf(name));
    const world = new EdgeWorld(configs, chainFile, program);
    for (const i of configs.keys()) await world.start(i);
    return world;
  }

  /** Starts the server of this number, again if it has ended. */
  async start(i: number): Promise<EdgeServer> {
    const running = startProgram([this.#program, this.#configs[i] as string, this.#chainFile]);
    onTestFinished(async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    });
    const [line] = await Promise.race([
      once(createInterface(running.child.stdout as NodeJS.ReadableStream), 'line') as Promise<[string]>,
      running.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ]);
    const server = { ...running, ...(JSON.parse(line) as Pick<EdgeServer, 'url' | 'edges'>) };
    this.servers[i] = server;
    return server;
  }

  /** The chain grows by a block with these transactions. */
  apply(...hashes: readonly string[]): void {
    applyTo(this.#chainFile, hashes);
  }

  /** The chain goes back by so many blocks. */
  undo(count: number): void {
    undoIn(this.#chainFile, count);
  }

  /** The number of the server that leads, once one does. */
  async leader(): Promise<number> {
    let leads = -1;
    const find = async (): Promise<number> => {
      for (const [i, { url, child }] of this.servers.entries()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const { state } = (await (await fetch(`${url}/api/v1/leader`)).json()) as { readonly state: string };
        if (state === 'leader') leads = i;
      }
      return leads;
    };
    await expect.poll(find).toBeGreaterThanOrEqual(0);
    return leads;
  }

  /** Kills the leader with SIGKILL. Returns its number; `start` starts it again. */
  async killLeader(): Promise<number> {
    const i = await this.leader();
    const { child, ended } = this.servers[i] as EdgeServer;
    child.kill('SIGKILL');
    await ended;
    return i;
  }
}
