// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, Mempool } from 'mempool-core';
import { createElection, type Election, type ElectionProvider } from 'mempool-election';
import { type RedisElectionOptions, type RedisOptions, redis, redisElection } from 'mempool-redis';

export const backend: Backend<RedisOptions> = redis;

export async function open(): Promise<Mempool> {
  // @ts-expect-error a Redis has a URL, a path is another backend's option
  await redis.open({ path: 'mempool.sqlite' });
  return redis.open({ url: 'rediss://user:password@example.org:6380/2', pool: 'main', timeoutMs: 1_000 });
}

export const provider: ElectionProvider<RedisElectionOptions> = redisElection;

export function elect(): Election {
  // @ts-expect-error durations are numbers
  createElection(redisElection, { url: 'redis://example.org', ttlMs: '10s' });
  return createElection(redisElection, { url: 'redis://example.org', keyPrefix: 'dolos:mempool', ttlMs: 3_000 });
}
