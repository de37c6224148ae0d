import { Redis } from 'ioredis';
import type { OpenOptions, Ordering } from 'mempool-core';
import { type RedisOptions, redis } from 'mempool-redis';
import { onTestFinished } from 'vitest';

export { ownGroup, ownProxy, ownServer, scratchFolder } from 'mempool-testkit/vitest';

/** An operator's client, closed after the test. */
export function operator(url: string): Redis {
  const client = new Redis(url, { lazyConnect: false });
  onTestFinished(() => client.disconnect());
  return client;
}

export interface Line {
  readonly level: string;
  readonly message: string;
}

/** Opens a pool that is closed after the test, with the lines it logged. */
export async function openPool<O extends Ordering = 'fifo'>(options: OpenOptions<O> & RedisOptions) {
  const lines: Line[] = [];
  const store = await redis.open<O>({
    log: (level, message) => lines.push({ level, message }),
    sweepEveryMs: Number.POSITIVE_INFINITY,
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, lines };
}
