import { type Cluster, Redis } from 'ioredis';
import { openLeases, type Subject } from 'mempool-conformance';
import { type RedisOptions, redis, redisElection } from 'mempool-redis';
import {
  claimKeysOf,
  electionKeys,
  factKeysOf,
  keysOf,
  priorityKeysOf,
  recordKeysOf,
} from '../src/connection/script.ts';
import { damageKeys } from './key-damage.ts';

/** Where the servers are, and how an operator reaches them. */
export interface Place {
  readonly options: RedisOptions;
  readonly connect: () => Redis | Cluster;
}

/** Every name that the pool's election may leave on the server. */
async function electionNames(client: Redis | Cluster, pool: string): Promise<string[]> {
  const base = `{${pool}}:watcher`;
  const nodes = await client.zrange(`${base}:members`, '0', '-1');
  return [...electionKeys(base), ...nodes.map((node) => `${base}:heartbeat:${node}`)];
}

function poolNames(pool: string): string[] {
  const prefix = `{${pool}}`;
  const names = [keysOf(prefix, 'both'), claimKeysOf(prefix), factKeysOf(prefix), priorityKeysOf(prefix)];
  return [...names.flat(), ...recordKeysOf(prefix)];
}

/** The subject of the suite on these servers. `module`: the one that exports it. */
export function subjectAt(name: string, module: string, { options: place, connect }: Place): Subject {
  let cleaner: Redis | Cluster | undefined;
  // One connection for all pools of this process, which does not keep the process alive.
  const cleaning = (): Redis | Cluster => {
    if (cleaner !== undefined) return cleaner;
    const client = connect();
    if (client instanceof Redis) client.on('connect', () => client.stream.unref());
    client.on('end', () => {
      cleaner = undefined;
    });
    cleaner = client;
    return client;
  };
  const unlink = async (names: (client: Redis | Cluster) => Promise<readonly string[]>): Promise<void> => {
    const client = cleaning();
    await client.unlink([...(await names(client))]);
  };
  return {
    name,
    module,
    backend: redis,
    boundary: 'core',
    open: (pool, options) => redis.open({ ...options, pool, ...place }),
    leases: (pool, options) => openLeases(redisElection, { pool, ...place }, options),
    leaseTraits: ['hints', 'processes'],
    forget: (pool) => unlink((client) => electionNames(client, pool)),
    async damage(pool, record) {
      const client = connect();
      await damageKeys(client, `{${pool}}`, record);
      client.disconnect();
    },
    remove: (pool) => redis.remove({ pool, ...place }),
    renew: (pool) => unlink(async () => poolNames(pool)),
    destroy: (pool) => unlink(async (client) => [...poolNames(pool), ...(await electionNames(client, pool))]),
  };
}
