/** Opens the pool that a chain is replayed into. Which one, the command line and the config file say together. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chain } from 'cardano-chains';
import { type ConfigFields, loadConfig, type Mempool } from 'mempool-core';
import { openNode } from 'mempool-node';
import type { Settings } from './command-line.ts';
import { startOwnRedis } from './own-redis.ts';
import { UsageError } from './replay-error.ts';

export interface Pool extends AsyncDisposable {
  readonly mempool: Mempool;
  /** The place of the pool, as text for people. */
  readonly where: string;
}

const dataFolder = '.data';

/** @throws `MempoolError` of the backend, ReplayError if there is no Redis, UsageError if options contradict each other */
export async function openPool(settings: Settings, chain: Chain): Promise<Pool> {
  await using opened = new AsyncDisposableStack();
  const chosen = forChain(await choose(settings), settings.forkEvery, chain);
  await mkdir(dataFolder, { recursive: true });
  const config = await atHome(chosen, opened);
  const { pool: mempool } = opened.use(await openNode(config, { log: warn }));
  const kept = opened.move();
  return { mempool, where: place(config), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The command line wins over the config file. */
async function choose({ config, backend, path, url }: Settings): Promise<ConfigFields> {
  const own = { backend: backend ?? undefined, path: path ?? undefined, url: url ?? undefined };
  const chosen = config === null ? { ...own, backend: backend ?? 'sqlite' } : await loadConfig(config, own);
  if (url !== null && chosen.backend !== 'redis') throw new UsageError('--url goes with --backend redis');
  if (path !== null && !chosen.backend.startsWith('sqlite')) throw new UsageError('--path goes with --backend sqlite');
  return chosen;
}

/**
 * A pool belongs to one chain, known by its first block, and one way of forking it, so that chains never mix. It keeps all of
 * the chain's transactions and their events.
 */
function forChain(config: ConfigFields, forkEvery: number, { points, hashes }: Chain): ConfigFields {
  const { keyPrefix, maxFinalized = 10_000, maxEvents = 100_000 } = config;
  const first = points[0]?.hash.slice(0, 16);
  const pool = forkEvery === 0 ? `replay-${first}` : `replay-${first}-fork-${forkEvery}`;
  const eventsEach = 10;
  return {
    ...config,
    pool,
    keyPrefix: keyPrefix === undefined ? undefined : `${keyPrefix}:${pool}`,
    maxFinalized: Math.max(maxFinalized, hashes.length),
    maxEvents: Math.max(maxEvents, eventsEach * (points.length + hashes.length)),
  };
}

/** Where nothing else is named, the data is under `.data`: a file of the pool's own, or a Redis that is started for us. */
async function atHome(config: ConfigFields, opened: AsyncDisposableStack): Promise<ConfigFields> {
  if (config.backend.startsWith('sqlite')) {
    return { ...config, path: config.path ?? join(dataFolder, `${config.pool}.sqlite`) };
  }
  if (config.backend !== 'redis' || config.url !== undefined) return config;
  const { url } = opened.use(await startOwnRedis(join(dataFolder, 'redis')));
  // It is there, and writes to disk before it answers: a slow disk is waited for.
  return { ...config, url, timeoutMs: config.timeoutMs ?? 15_000 };
}

function place({ backend, pool, path, url }: ConfigFields): string {
  if (backend === 'redis' && url !== undefined) return `${backend}: ${pool} on ${new URL(url).host}`;
  return backend.startsWith('sqlite') ? `${backend}: ${path}` : `${backend}: ${pool}`;
}

function warn(_level: string, message: string): void {
  console.error(`cardano-replay: ${message}`);
}
