import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MempoolStore, OpenOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { sqlite } from 'mempool-sqlite';
import { subject as redis } from '../../packages/redis/test/subject.ts';
import { manyNodes } from './many-nodes.ts';

/** Opens new, empty pools of a backend; what is left of them goes with it. */
export interface PoolSource extends AsyncDisposable {
  open(options: OpenOptions): Promise<MempoolStore>;
}

/** Nodes of one pool. */
const nodes = 3;

async function ephemeralPools(): Promise<PoolSource> {
  return { open: (options) => ephemeral.open(options), [Symbol.asyncDispose]: async () => undefined };
}

/** A power cut is not the subject here. */
function openFile(options: OpenOptions, path: string): Promise<MempoolStore> {
  return sqlite.open({ ...options, synchronous: 'normal', path });
}

async function sqlitePools(
  open: (options: OpenOptions, path: string) => Promise<MempoolStore> = openFile,
): Promise<PoolSource> {
  const folder = await mkdtemp(join(tmpdir(), 'mempool-priority-'));
  return {
    open: (options) => open(options, join(folder, `${randomUUID()}.sqlite`)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function redisPools(
  open: (pool: string, options: OpenOptions) => Promise<MempoolStore> = redis.open,
): Promise<PoolSource> {
  const made: string[] = [];
  return {
    open: (options) => {
      const pool = `priority-history-${randomUUID()}`;
      made.push(pool);
      return open(pool, options);
    },
    [Symbol.asyncDispose]: async () => {
      for (const pool of made) await redis.destroy?.(pool);
    },
  };
}

/** One node on a pool. */
export const poolSources: Readonly<Record<string, () => Promise<PoolSource>>> = {
  ephemeral: ephemeralPools,
  sqlite: () => sqlitePools(),
  redis: () => redisPools(),
};

/** Several nodes on one pool, of which all but one come and go. */
export const sharedPoolSources: Readonly<Record<string, () => Promise<PoolSource>>> = {
  sqlite: () => sqlitePools((options, path) => manyNodes(nodes, (each) => openFile(each, path), options)),
  redis: () => redisPools((pool, options) => manyNodes(nodes, (each) => redis.open(pool, each), options)),
};
