import type { RemovingBackend } from 'mempool-core';
import { defineBackend } from 'mempool-core/backend';
import { optionNames, type RedisOptions } from './connection/options.ts';
import { openRedis } from './open.ts';
import { removeRedis } from './remove.ts';

export type { RedisOptions } from './connection/options.ts';
export type { RedisElectionOptions } from './election/options.ts';
export { redisElection } from './election/provider.ts';

/**
 * The pool on a Redis server, shared by any number of nodes.
 *
 * `remove` also works while stores are open; their next call creates the pool again.
 *
 * @throws from `open`, in addition to the errors of every backend: `ERR_MEMPOOL_AUTH`, `ERR_MEMPOOL_PERMISSION` naming the command,
 * `ERR_MEMPOOL_READ_ONLY`, `ERR_MEMPOOL_INCOMPATIBLE` naming the key, for a newer format, or for a server before 6.2. `remove` throws
 * the same errors, also for a key of another type or of another pool.
 */
export const redis: RemovingBackend<RedisOptions> = defineBackend<RedisOptions>({
  name: 'redis',
  capabilities: { durable: true, shared: true, lease: true, priority: true, records: true, import: true },
  options: optionNames,
  open: openRedis,
  remove: removeRedis,
});
