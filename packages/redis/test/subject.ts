import { Redis } from 'ioredis';
import type { Subject } from 'mempool-conformance';
import { redis } from 'mempool-redis';
import { keysOf } from '../src/script.ts';

/** Set by the global set-up, and handed on to child processes. */
const url = process.env.MEMPOOL_TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

export const subject: Subject = {
  name: 'redis',
  module: import.meta.url,
  backend: redis,
  open: (pool, options) => redis.open({ ...options, pool, url }),
  async destroy(pool) {
    const client = new Redis(url);
    await client.unlink(...keysOf(`{${pool}}`, 'both'));
    client.disconnect();
  },
};
