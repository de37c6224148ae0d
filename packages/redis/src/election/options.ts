import type { Cluster, Redis } from 'ioredis';
import { isMempoolError } from 'mempool-core';
import { badOption, type LeaseStoreOptions } from 'mempool-election';
import { clientBeside, createClient, type Tuning } from '../connection/client.ts';
import { defaultReplicaMs, type RedisOptions, taggedPrefix } from '../connection/options.ts';
import type { LeaseReplication } from './connection.ts';

/** The own options of `redisElection`: either `url` and its options, or `client`. */
export interface RedisElectionOptions extends RedisOptions {
  /** Name of the pool that the leader writes to; default `mempool`. The keys begin with it, unless `keyPrefix` is given. */
  readonly pool?: string | undefined;
  /**
   * Your own client instead of `url`. You close it yourself. A duplicate of it listens for messages. Its options must prevent that a
   * command waits or is sent again (see the README), else it is refused. From a `Cluster`, only the nodes, `redisOptions` and `natMap`
   * are used, because the election makes its own connections to the master of its slot.
   */
  readonly client?: Redis | Cluster | undefined;
}

export type OpenOptions = LeaseStoreOptions & RedisElectionOptions;

/** Two connections, because a subscribed one cannot send other commands. */
export interface Clients {
  readonly commands: Redis;
  readonly messages: Redis;
  /** False for the caller's own client, which this package never closes. */
  readonly owned: boolean;
}

/** The least timeout for a connection, in milliseconds, because a handshake takes longer than a command. */
export const connectMs = 1_000;

/** `Hints` subscribes again itself. If the client did, a missing answer would be an unhandled rejection. */
const listening: Tuning = { autoResubscribe: false };

/** Creates the two clients of an election, or uses the caller's. @throws `ERR_ELECTION_OPTION` naming the field */
export function createClients(options: OpenOptions): Clients {
  const { client, url, cluster, sentinels, commandTimeoutMs } = options;
  const timeouts = { connectTimeout: Math.max(connectMs, commandTimeoutMs), commandTimeout: commandTimeoutMs };
  const pair = (create: (tuning: Tuning) => Redis): Clients => ({
    commands: create({ ...timeouts, failoverDetector: true }),
    messages: create({ ...timeouts, ...listening }),
    owned: true,
  });
  const key = electionPrefix(options);
  if (client === undefined) return pair((tuning) => checked('url', () => createClient(options, key, tuning)));
  for (const [field, given] of Object.entries({ url, cluster, sentinels }))
    if (given !== undefined) throw badOption('client', `given without ${field}`);
  if (client?.isCluster) return pair((tuning) => clientBeside(client as Cluster, key, tuning));
  checkClient(client as Redis, commandTimeoutMs);
  return {
    commands: client as Redis,
    messages: (client as Redis).duplicate({ ...listening, lazyConnect: true }),
    owned: false,
  };
}

/** Returns the prefix of the election's keys, with the hash tag of the pool's. @throws `ERR_ELECTION_OPTION` naming the field */
export function electionPrefix({ name, keyPrefix, pool = 'mempool' }: OpenOptions): string {
  const [field, prefix] = keyPrefix === undefined ? ['pool', pool] : ['keyPrefix', keyPrefix];
  return `${checked(field, () => taggedPrefix(prefix))}:${name}`;
}

/** Returns the replicas that a lease waits for, for at most half the time of a command; `null` for none. @throws `ERR_ELECTION_OPTION` */
export function replicationOf(options: OpenOptions): LeaseReplication | null {
  const { minReplicas = 0, replicaTimeoutMs = defaultReplicaMs, commandTimeoutMs } = options;
  if (!Number.isInteger(minReplicas) || minReplicas < 0) throw badOption('minReplicas', 'a whole number of at least 0');
  if (!Number.isInteger(replicaTimeoutMs) || replicaTimeoutMs < 1)
    throw badOption('replicaTimeoutMs', 'a whole number of milliseconds of at least 1');
  const waitMs = Math.max(1, Math.min(replicaTimeoutMs, Math.floor(commandTimeoutMs / 2)));
  return minReplicas === 0 ? null : { minReplicas, waitMs };
}

function checked<T>(field: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
    // The message begins with the name of its own field.
    const named = String(error.details.field);
    throw badOption(field === 'url' ? named : field, error.message.replace(/^.*? must be /, ''));
  }
}

function checkClient(client: Redis, commandTimeoutMs: number): void {
  const options = client?.options;
  if (typeof client?.duplicate !== 'function' || options === undefined)
    throw badOption('client', 'a Redis or a Cluster of ioredis');
  const { commandTimeout = 0 } = options;
  const wanted: readonly (readonly [option: string, fits: boolean])[] = [
    ['enableOfflineQueue: false', options.enableOfflineQueue === false],
    ['autoResendUnfulfilledCommands: false', options.autoResendUnfulfilledCommands === false],
    ['maxRetriesPerRequest: 0', options.maxRetriesPerRequest === 0],
    [`a commandTimeout of at most ${commandTimeoutMs}`, commandTimeout > 0 && commandTimeout <= commandTimeoutMs],
    ['a retryStrategy', typeof options.retryStrategy === 'function'],
    ['no keyPrefix', (options.keyPrefix ?? '') === ''],
  ];
  const missing = wanted.filter(([, fits]) => !fits).map(([option]) => option);
  if (missing.length > 0) throw badOption('client', `a Redis with ${missing.join(', ')}`);
}
