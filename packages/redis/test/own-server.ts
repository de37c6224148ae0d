import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { OpenOptions } from 'mempool-core';
import { type RedisOptions, redis } from 'mempool-redis';
import { onTestFinished } from 'vitest';
import { startProxy, type TcpProxy } from './proxy.ts';
import { type RedisServer, startRedisServer } from './server.ts';

/** A folder that is removed after the test. */
export async function testFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'mempool-redis-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A server for this test alone, which may configure, kill and restart it. */
export async function ownServer(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedisServer({ dir: await testFolder(), args });
  onTestFinished(() => server.stop());
  return server;
}

export async function ownProxy(url: string): Promise<TcpProxy> {
  const proxy = await startProxy(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

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
export async function openPool(options: OpenOptions & RedisOptions) {
  const lines: Line[] = [];
  const store = await redis.open({ log: (level, message) => lines.push({ level, message }), ...options });
  onTestFinished(() => store.close());
  return { store, lines };
}
