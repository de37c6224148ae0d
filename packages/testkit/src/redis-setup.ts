import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startRedisServer } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Redis that tests may write to, under prefixes of their own. */
    redisUrl: string;
  }
}

export interface FoundServer {
  readonly url: string;
  stop(): Promise<void>;
}

const help = `The tests need a real Redis (6.2 or later) and found none. Any one of these will do:
  - set MEMPOOL_TEST_REDIS_URL to a server that tests may write to
  - start a Docker engine
  - put redis-server on the PATH (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis)`;

/** Finds or starts one Redis for the whole run; tests read its address with `inject('redisUrl')`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer();
  project.provide('redisUrl', server.url);
  // For child processes, which have no `inject`.
  process.env.MEMPOOL_TEST_REDIS_URL = server.url;
  return () => server.stop();
}

/** Finds or starts a server that tests may write to. */
export async function findServer(): Promise<FoundServer> {
  const given = process.env.MEMPOOL_TEST_REDIS_URL;
  if (given) return { url: given, stop: async () => {} };
  if (answers('docker', 'info')) return inDocker();
  if (answers('redis-server', '--version') || installedWithApt()) return onThePath();
  throw new Error(help);
}

function answers(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

// A client without an engine would only fail later, so the engine was asked; this is loaded for it alone.
async function inDocker(): Promise<FoundServer> {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    stop: async () => void (await container.stop()),
  };
}

async function onThePath(): Promise<FoundServer> {
  const dir = await mkdtemp(join(tmpdir(), 'mempool-redis-'));
  const server = await startRedisServer({ dir });
  const stop = async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

function installedWithApt(): boolean {
  if (process.getuid?.() !== 0 || !answers('apt-get', '--version')) return false;
  console.error('No Redis found: installing redis-server with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...args: string[]) => spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env }).status === 0;
  return (
    run('update') &&
    run('install', '-y', '--no-install-recommends', 'redis-server') &&
    answers('redis-server', '--version')
  );
}
