/** The kit's parts for one test: made here, gone when the test has finished. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ClusterOptions, type RedisCluster, startRedisCluster } from './redis-cluster.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { type GroupOptions, type SentinelGroup, startSentinelGroup } from './sentinel-group.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

export { testReadme } from './readme.ts';
export { testWorkers } from './test-workers.ts';

/** An empty folder for this test alone. Tests that run at the same time each pass their own `onTestFinished`. */
export function scratchFolder(finished: typeof onTestFinished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'mempool-test-'));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A Redis server for this test alone, which may configure, kill and restart it. */
export async function ownServer(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedisServer({ dir: scratchFolder(), args });
  onTestFinished(() => server.kill());
  return server;
}

/** A Redis Cluster for this test alone. */
export async function ownCluster(options: Partial<ClusterOptions> = {}): Promise<RedisCluster> {
  const { cluster, end } = await sharedCluster(options);
  onTestFinished(end);
  return cluster;
}

/** A Redis Cluster for the tests of a file: `beforeAll` returns `end`. */
export async function sharedCluster(
  options: Partial<ClusterOptions> = {},
): Promise<{ readonly cluster: RedisCluster; readonly end: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'mempool-test-'));
  const cluster = await startRedisCluster({ dir, ...options });
  const end = async (): Promise<void> => {
    await cluster[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true, force: true });
  };
  return { cluster, end };
}

/** A TCP proxy in front of the server, for this test alone. */
export async function ownProxy(url: string): Promise<TcpProxy> {
  const proxy = await startProxy(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A master with replicas and Sentinels, for this test alone. */
export async function ownGroup(options: Omit<GroupOptions, 'dir'> = {}): Promise<SentinelGroup> {
  const group = await startSentinelGroup({ dir: scratchFolder(), ...options });
  onTestFinished(() => group[Symbol.asyncDispose]());
  return group;
}
