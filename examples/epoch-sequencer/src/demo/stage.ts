import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevChain, startDevChain } from 'evm-chain';
import { type Deployed, signerOf } from 'mempool-sequencer/evm';
import type { RunningServer } from 'mempool-server';
import { freePort, type RedisServer, startRedisServer } from 'mempool-testkit';
import { deployContract } from '../chain/deploy-contract.ts';
import { crew, type Place, type Role } from './home.ts';
import { Links } from './links.ts';
import { openMonitor } from './monitor.ts';
import { keyOf } from './traffic.ts';
import { prepare, Worker } from './worker.ts';

export const [protocol, market] = ['demo', 'prices'];
export const validatorCount = 4;
/** Of the development chain's first account. */
export const owner = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const finalityBlocks = 6;
/** How long a validator waits for the batches of others. */
export const level2TimeoutMs = 30_000;
const blockMs = 500;
/** Writes survive the process of Redis, not the machine: the demo does not need a sync for each write. */
const kept = ['--appendonly', 'yes', '--appendfsync', 'no'];

/** A validator of the stage. */
export interface Validator {
  readonly name: string;
  /** As the chain knows it. */
  readonly address: string;
  readonly config: Place;
  readonly workers: readonly Worker[];
}

export interface StageOptions {
  /** The folder for the output of the processes; `null`: none. */
  readonly logs: string | null;
  /** The slots' addresses, once the contract's domain is known. */
  readonly slotsOf: (domain: string) => readonly string[];
}

/** Everything that a run needs, running: one Redis, one chain, the validators and the links between them, and a monitor. */
export class Stage implements AsyncDisposable {
  readonly redis: RedisServer;
  readonly chain: DevChain;
  readonly contract: Deployed;
  readonly links: Links;
  readonly validators: readonly Validator[];
  /** The monitor API of the first validator, with its dashboard. */
  readonly monitor: RunningServer;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<Stage, 'redis' | 'chain' | 'contract' | 'links' | 'validators' | 'monitor'>,
    stack: AsyncDisposableStack,
  ) {
    this.redis = parts.redis;
    this.chain = parts.chain;
    this.contract = parts.contract;
    this.links = parts.links;
    this.validators = parts.validators;
    this.monitor = parts.monitor;
    this.#stack = stack;
  }

  static async set({ logs, slotsOf }: StageOptions): Promise<Stage> {
    await prepare();
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'mempool-sequencer-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const redis = stack.use(await startRedisServer({ dir: folder, args: kept }));
    const chain = stack.use(await startDevChain({ blockMs }));
    const contract = await deployContract(chain, {
      owner,
      name: `${protocol}:${market}`,
    });
    const ports = await Promise.all(Array.from({ length: validatorCount }, freePort));
    const links = stack.use(await Links.open(ports));
    const slots = slotsOf(contract.domain);
    const validators: Validator[] = [];
    for (const [i, gossipPort] of ports.entries()) {
      const name = `v${i + 1}`;
      const key = keyOf(`validator ${name}`);
      const { address } = signerOf(key);
      await chain.call('hardhat_setBalance', address, '0x56bc75e2d63100000');
      const config = { name, protocol, market, redis: redis.url, gossipPort, httpPort: await freePort() };
      const file = join(folder, `${name}.json`);
      const given = configOf(config, { key, slots, peers: links.peersOf(i) }, contract);
      await writeFile(file, JSON.stringify(given, null, 2));
      const workers = hire(name, file, logs === null ? null : join(logs, `${name}.log`));
      stack.defer(() => Promise.all(workers.map((worker) => worker.stop())).then(() => undefined));
      validators.push({ name, address, config, workers });
    }
    const monitor = stack.use(await openMonitor((validators[0] as Validator).config));
    return new Stage({ redis, chain, contract, links, validators, monitor }, stack.move());
  }

  get workers(): Worker[] {
    return this.validators.flatMap(({ workers }) => workers);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** The configuration of a validator's processes. */
function configOf(
  { name, redis, gossipPort, httpPort }: Place,
  own: { readonly key: string; readonly slots: readonly string[]; readonly peers: readonly string[] },
  { url: rpc, address, chainId }: Deployed,
): object {
  return {
    mempool: { backend: 'redis', url: redis },
    server: { port: httpPort },
    election: { ttlMs: 3_000 },
    sequencer: {
      ...{ name, protocol, market, ...own },
      ...{ rpc, contract: address, chainId, finalityBlocks, gossipPort },
      // All of the demonstration's peers have one address.
      peerRate: 1_000,
      ...{ claimMs: 2_000, level2TimeoutMs },
      verify: join(import.meta.dirname, '../verify.ts'),
    },
  };
}

function hire(validator: string, file: string, log: string | null): Worker[] {
  const posts = Object.entries(crew) as [Role, number][];
  return posts.flatMap(([role, count]) =>
    Array.from({ length: count }, (_, i) => new Worker({ validator, role, number: i + 1, file, log })),
  );
}
