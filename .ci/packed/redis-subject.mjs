import { Redis } from 'ioredis';
import { openLeases } from 'mempool-conformance';
import { redis, redisElection } from 'mempool-redis';

const url = process.env.PACKED_REDIS_URL;

/** The server is ours alone, and has no more keys than the cases that run: to look at all of them is cheap. */
async function unlink(prefix) {
  const client = new Redis(url);
  const keys = (await client.keys('*')).filter((key) => key.startsWith(prefix));
  if (keys.length > 0) await client.unlink(keys);
  client.disconnect();
}

export default {
  name: 'redis',
  module: import.meta.url,
  backend: redis,
  open: (pool, options) => redis.open({ ...options, pool, url }),
  leases: (pool, options) => openLeases(redisElection, { pool, url }, options),
  leaseTraits: ['hints', 'processes'],
  forget: (pool) => unlink(`{${pool}}:watcher`),
  destroy: (pool) => unlink(`{${pool}}:`),
};
