import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, howToInstall, MissingRedisError, needRedisServer } from './redis-program.ts';
import { startRedisServer } from './redis-server.ts';

/** A Redis that this process may write to. */
export interface FoundRedis extends AsyncDisposable {
  readonly url: string;
}

/**
 * Finds a Redis: the one of `MEMPOOL_TEST_REDIS_URL`, else one in a Docker engine, else a `redis-server` from the PATH, which is
 * installed with apt as root. Disposing the result stops a server that was started here.
 * @throws MissingRedisError
 */
export async function findRedis(): Promise<FoundRedis> {
  const url = process.env.MEMPOOL_TEST_REDIS_URL;
  if (url) return { url, [Symbol.asyncDispose]: async () => {} };
  return answers('docker', 'info') ? inDocker() : onThePath();
}

/** The same, for programs that read `MEMPOOL_TEST_REDIS_URL`. */
export async function provideRedis(): Promise<FoundRedis> {
  const found = await findRedis();
  process.env.MEMPOOL_TEST_REDIS_URL = found.url;
  return found;
}

// Loaded only if an engine answers: without one it would fail later.
async function inDocker(): Promise<FoundRedis> {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  };
}

async function onThePath(): Promise<FoundRedis> {
  try {
    needRedisServer();
  } catch {
    const others = 'set MEMPOOL_TEST_REDIS_URL to a server that may be written to, start a Docker engine, or';
    throw new MissingRedisError(`No Redis (6.2 or later) found: ${others} ${howToInstall}.`);
  }
  const dir = await mkdtemp(join(tmpdir(), 'mempool-redis-'));
  const server = await startRedisServer({ dir });
  const stop = async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
  return { url: server.url, [Symbol.asyncDispose]: stop };
}
