import { join } from 'node:path';
import type { Mempool, MempoolConfig } from 'mempool-core';
import { misconfigured, redisPart } from 'mempool-core/backend';
import type { Election, ElectionOptions } from 'mempool-election';
import type { RedisOptions } from 'mempool-redis';
import { nodeBackend } from './node-backend.ts';
import { openNode } from './open-node.ts';

/** Pools by their names, where one configuration has its pool. */
export interface NodePools {
  /** Opens a fifo pool, and makes it if it is new. The caller closes it. @throws as `openMempool` */
  open(name: string): Promise<Mempool>;
  /** Creates the election whose lease guards a pool. Opens nothing. @throws `ERR_ELECTION_OPTION` naming the field */
  elect(name: string, options?: ElectionOptions): Promise<Election>;
  /** Removes a pool with all that it holds. False: there was none. @throws as `remove` of the backend */
  remove(name: string): Promise<boolean>;
}

/** Options of `nodePools`. */
export interface NodePoolsOptions {
  /** Where the files of pools on SQLite are: each is the name of its pool, as `encodeURIComponent` spells it, with `.sqlite`. */
  readonly folder?: string | undefined;
}

/**
 * The pools beside that of a configuration: on the same Redis, or in files of one folder. Opens nothing yet.
 * @throws `ERR_MEMPOOL_CONFIG` naming `backend` if it has no pools that other processes reach, or `folder` if it is missing
 */
export function nodePools(config: MempoolConfig<string>, { folder }: NodePoolsOptions = {}): NodePools {
  if (config.backend === 'redis') return onRedis(config);
  if (config.backend !== 'sqlite')
    throw misconfigured('backend', `is ${config.backend.slice(0, 100)}, not one of redis, sqlite`);
  if (folder === undefined) throw misconfigured('folder', 'is missing: the files of the pools are there');
  return inFolder(folder);
}

function onRedis(config: MempoolConfig<string>): NodePools {
  const { fields, options } = redisPart(config);
  const own = { backend: 'redis', ...fields, options };
  return {
    open: async (pool) => (await openNode({ ...own, pool })).pool,
    elect: async (pool, options = {}) => (await nodeBackend({ ...own, pool })).elect(options),
    async remove(pool) {
      const { redis } = await import('mempool-redis');
      return redis.remove({ ...fields, ...(options as RedisOptions), pool });
    },
  };
}

function inFolder(folder: string): NodePools {
  const pathOf = (pool: string): string => join(folder, `${encodeURIComponent(pool)}.sqlite`);
  return {
    open: async (pool) => (await openNode({ backend: 'sqlite', pool, path: pathOf(pool) })).pool,
    elect: async (pool, options = {}) =>
      (await nodeBackend({ backend: 'sqlite', pool, path: pathOf(pool) })).elect(options),
    async remove(pool) {
      const { sqlite } = await import('mempool-sqlite');
      return sqlite.remove({ pool, path: pathOf(pool) });
    },
  };
}
