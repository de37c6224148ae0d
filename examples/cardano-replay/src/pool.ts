/** Opens the pool that a chain is replayed into. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MempoolStore, OpenOptions } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import type { Chain } from './chain.ts';
import type { Settings } from './command-line.ts';

export interface Pool {
  readonly store: MempoolStore;
  /** Where it is, for people. */
  readonly where: string;
  close(): Promise<void>;
}

const dataFolder = '.data';

export async function openPool(settings: Settings, chain: Chain): Promise<Pool> {
  const options = poolOptions(settings, chain);
  await mkdir(dataFolder, { recursive: true });
  const path = settings.path ?? join(dataFolder, `${options.pool}.sqlite`);
  const store = await sqlite.open({ ...options, path });
  return { store, where: path, close: () => store.close() };
}

/** A pool belongs to one chain, known by its first block, and one way of forking it. It keeps the chain's whole history. */
function poolOptions({ forkEvery }: Settings, { points, hashes }: Chain): OpenOptions & { readonly pool: string } {
  const first = points[0]?.hash.slice(0, 16);
  const eventsEach = 10;
  return {
    pool: forkEvery === 0 ? `replay-${first}` : `replay-${first}-fork-${forkEvery}`,
    maxFinalized: Math.max(10_000, hashes.length),
    maxEvents: Math.max(100_000, eventsEach * (hashes.length + points.length)),
  };
}
