import { Redis } from 'ioredis';
import type { Subject } from 'mempool-conformance';
import { redis } from 'mempool-redis';
import { keysOf } from '../src/script.ts';

/** Set by the global set-up, and handed on to child processes. Without it no server may be written to. */
const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
if (url === '') throw new Error('set MEMPOOL_TEST_REDIS_URL to a Redis that tests may write to');

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
