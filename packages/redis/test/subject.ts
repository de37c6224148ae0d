import { Redis } from 'ioredis';
import { openLeases, type Subject } from 'mempool-conformance';
import { redis, redisElection } from 'mempool-redis';
import {
  claimKeysOf,
  factKeysOf,
  keysOf,
  priorityKeysOf,
  recordKeysOf,
  restoreKeysOf,
} from '../src/connection/script.ts';
import { electionKeys } from '../src/election/script.ts';
import { damageKeys } from './key-damage.ts';

/** Set by the global set-up, and handed on to child processes. Without it no server may be written to. */
const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
if (url === '') throw new Error('set MEMPOOL_TEST_REDIS_URL to a Redis that tests may write to');

/** Every name that the pool's election may leave on the server. */
async function electionNames(client: Redis, pool: string): Promise<string[]> {
  const base = `{${pool}}:watcher`;
  const nodes = await client.zrange(`${base}:members`, '0', '-1');
  return [...electionKeys(base), ...nodes.map((node) => `${base}:heartbeat:${node}`)];
}

function poolNames(pool: string): string[] {
  const prefix = `{${pool}}`;
  const names = [keysOf(prefix, 'both'), claimKeysOf(prefix), factKeysOf(prefix), priorityKeysOf(prefix)];
  return [...names.flat(), ...recordKeysOf(prefix), ...restoreKeysOf(prefix)];
}

let cleaner: Redis | undefined;

/** One connection for all pools of this process, which does not keep the process alive. */
function cleaning(): Redis {
  cleaner ??= new Redis(url).on('connect', () => cleaner?.stream.unref());
  return cleaner;
}

async function unlink(names: (client: Redis) => Promise<readonly string[]>): Promise<void> {
  const client = cleaning();
  await client.unlink([...(await names(client))]);
}

export const subject: Subject = {
  name: 'redis',
  module: import.meta.url,
  backend: redis,
  boundary: 'core',
  open: (pool, options) => redis.open({ ...options, pool, url }),
  leases: (pool, options) => openLeases(redisElection, { pool, url }, options),
  leaseTraits: ['hints', 'processes'],
  forget: (pool) => unlink((client) => electionNames(client, pool)),
  async damage(pool, record) {
    const client = new Redis(url);
    await damageKeys(client, `{${pool}}`, record);
    client.disconnect();
  },
  renew: (pool) => unlink(async () => poolNames(pool)),
  destroy: (pool) => unlink(async (client) => [...poolNames(pool), ...(await electionNames(client, pool))]),
};
