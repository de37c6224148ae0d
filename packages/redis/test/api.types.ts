// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, MempoolStore } from 'mempool-core';
import { type RedisOptions, redis } from 'mempool-redis';

export const backend: Backend<RedisOptions> = redis;

export async function open(): Promise<MempoolStore> {
  // @ts-expect-error a Redis has a URL, a path is another backend's option
  await redis.open({ path: 'mempool.sqlite' });
  return redis.open({ url: 'rediss://user:password@example.org:6380/2', pool: 'main', timeoutMs: 1_000 });
}
